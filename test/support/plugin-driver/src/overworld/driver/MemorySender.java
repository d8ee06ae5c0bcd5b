package overworld.driver;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import overworld.plugin.core.command.CommandSender;

/** Sender of commands that exists only in memory. */
final class MemorySender implements CommandSender {
    private final MemoryProxy proxy;
    private final String name;
    private final List<String> permissions;

    MemorySender(MemoryProxy proxy, String name, List<String> permissions) {
        this.proxy = proxy;
        this.name = name;
        this.permissions = permissions;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<UUID> player() {
        return Optional.empty();
    }

    @Override
    public boolean hasPermission(String permission) {
        return permissions.contains(permission);
    }

    @Override
    public void message(String text) {
        proxy.tell("says", name, text);
    }
}
