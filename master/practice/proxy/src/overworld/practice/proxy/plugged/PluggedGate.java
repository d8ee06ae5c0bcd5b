package overworld.practice.proxy.plugged;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.platform.Verdict;
import overworld.practice.proxy.Gate;
import overworld.practice.proxy.ProxyControl;

/**
 * Gate that uses Overworld's plugin. {@code PluginLoader} loads this class together with the plugin, whose jar is in
 * the service's folder. No class of the proxy outside of this package uses the plugin.
 */
public final class PluggedGate implements Gate {
    private final ProxyCore core;

    /**
     * Starts the plugin.
     *
     * @throws IllegalStateException if the service's folder has no hand-over file
     */
    public PluggedGate(ProxyControl control, Path folder, String software) {
        core = ProxyCore.start(new Platform(control, folder, software));
        if (!core.active()) {
            core.close();
            throw new IllegalStateException("there is no hand-over file: this proxy was not started by Overworld");
        }
    }

    @Override
    public CompletableFuture<Optional<String>> login(UUID player, String name) {
        return core.login(player, name).thenApply(PluggedGate::refusalOf);
    }

    private static Optional<String> refusalOf(Verdict verdict) {
        return verdict.allowed() ? Optional.empty() : Optional.of(verdict.message());
    }

    @Override
    public void loginEnded(UUID player) {
        core.loginEnded(player);
    }

    @Override
    public void joined(UUID player, String name) {
        core.joined(player, name);
    }

    @Override
    public void switched(UUID player, String server) {
        core.switched(player, server);
    }

    @Override
    public void left(UUID player) {
        core.left(player);
    }

    @Override
    public Optional<String> firstServer(UUID player, Predicate<String> permission) {
        return core.firstServer(player, permission);
    }

    @Override
    public Optional<String> fallback(UUID player, String from, Predicate<String> permission) {
        return core.fallback(player, from, permission);
    }

    @Override
    public Optional<String> refusal(UUID player, String server, Predicate<String> permission) {
        return refusalOf(core.mayEnter(player, server, permission));
    }

    @Override
    public boolean knowsNetwork() {
        return core.knowsNetwork();
    }

    @Override
    public int online() {
        return core.online();
    }

    @Override
    public int limit() {
        return core.limit();
    }

    @Override
    public String noServer() {
        return core.text(MessageKey.NO_SERVER);
    }

    @Override
    public String lost(String server) {
        return core.text(MessageKey.LOST_NO_SERVER, server);
    }

    @Override
    public String moved(String from, String to) {
        return core.text(MessageKey.LOST, from, to);
    }

    @Override
    public String movedAfterKick(String from, String to, String reason) {
        return core.text(MessageKey.KICKED, from, to, reason);
    }

    @Override
    public void command(Asker asker, String[] arguments) {
        core.command(new Sender(asker), arguments);
    }

    @Override
    public void close() {
        core.close();
    }
}
