package overworld.plugin.velocity;

import com.velocitypowered.api.command.CommandSource;
import com.velocitypowered.api.command.SimpleCommand;
import com.velocitypowered.api.proxy.Player;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.command.CommandSender;

/** Implements {@code /cloud} for admins in game and for the proxy's console. */
final class CloudCommand implements SimpleCommand {
    private final ProxyCore core;

    CloudCommand(ProxyCore core) {
        this.core = core;
    }

    @Override
    public void execute(Invocation invocation) {
        core.command(new Sender(invocation.source()), invocation.arguments());
    }

    @Override
    public List<String> suggest(Invocation invocation) {
        return core.complete(new Sender(invocation.source()), invocation.arguments());
    }

    private static final class Sender implements CommandSender {
        private final CommandSource source;

        Sender(CommandSource source) {
            this.source = source;
        }

        @Override
        public String name() {
            return source instanceof Player ? ((Player) source).getUsername() : "CONSOLE";
        }

        @Override
        public Optional<UUID> player() {
            return source instanceof Player ? Optional.of(((Player) source).getUniqueId()) : Optional.empty();
        }

        @Override
        public boolean hasPermission(String permission) {
            return source.hasPermission(permission);
        }

        @Override
        public void message(String text) {
            source.sendMessage(Text.of(text));
        }
    }
}
