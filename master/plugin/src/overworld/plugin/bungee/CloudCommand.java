package overworld.plugin.bungee;

import java.util.Optional;
import java.util.UUID;
import net.md_5.bungee.api.CommandSender;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Command;
import net.md_5.bungee.api.plugin.TabExecutor;
import overworld.plugin.core.ProxyCore;

/** Implements {@code /cloud} for admins in game and for the proxy's console. */
final class CloudCommand extends Command implements TabExecutor {
    private final ProxyCore core;

    CloudCommand(ProxyCore core) {
        super("cloud");
        this.core = core;
    }

    @Override
    public void execute(CommandSender sender, String[] arguments) {
        core.command(new Sender(sender), arguments);
    }

    @Override
    public Iterable<String> onTabComplete(CommandSender sender, String[] arguments) {
        return core.complete(new Sender(sender), arguments);
    }

    private static final class Sender implements overworld.plugin.core.command.CommandSender {
        private final CommandSender sender;

        Sender(CommandSender sender) {
            this.sender = sender;
        }

        @Override
        public String name() {
            return sender.getName();
        }

        @Override
        public Optional<UUID> player() {
            return sender instanceof ProxiedPlayer
                    ? Optional.of(((ProxiedPlayer) sender).getUniqueId())
                    : Optional.empty();
        }

        @Override
        public boolean hasPermission(String permission) {
            return sender.hasPermission(permission);
        }

        @Override
        public void message(String text) {
            sender.sendMessage(Text.of(text));
        }
    }
}
