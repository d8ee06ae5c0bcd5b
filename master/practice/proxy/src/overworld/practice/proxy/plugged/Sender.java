package overworld.practice.proxy.plugged;

import java.util.Optional;
import java.util.UUID;
import overworld.plugin.core.command.CommandSender;
import overworld.practice.proxy.Gate;

/** The sender of {@code /cloud} in the form in which the plugin uses it. */
final class Sender implements CommandSender {
    private final Gate.Asker asker;

    Sender(Gate.Asker asker) {
        this.asker = asker;
    }

    @Override
    public String name() {
        return asker.name;
    }

    @Override
    public Optional<UUID> player() {
        return Optional.ofNullable(asker.player);
    }

    @Override
    public boolean hasPermission(String permission) {
        return asker.permission.test(permission);
    }

    @Override
    public void message(String text) {
        asker.answer.accept(text);
    }
}
