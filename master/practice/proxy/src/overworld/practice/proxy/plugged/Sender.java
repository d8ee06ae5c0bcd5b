package overworld.practice.proxy.plugged;

import java.util.Optional;
import java.util.UUID;
import overworld.plugin.core.command.CommandSender;
import overworld.practice.proxy.Gate;

/** Gives the plugin access to the sender of {@code /cloud}, through the interface that the plugin requires. */
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
