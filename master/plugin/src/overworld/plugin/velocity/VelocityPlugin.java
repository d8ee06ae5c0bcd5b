package overworld.plugin.velocity;

import com.google.inject.Inject;
import com.velocitypowered.api.command.CommandManager;
import com.velocitypowered.api.event.EventManager;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.proxy.ProxyInitializeEvent;
import com.velocitypowered.api.event.proxy.ProxyShutdownEvent;
import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.ProxyServer;
import net.kyori.adventure.text.Component;
import org.slf4j.Logger;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.core.ProxyCore;

/** Main class on Velocity, named by {@code velocity-plugin.json}. */
public final class VelocityPlugin {
    private final ProxyServer proxy;
    private final Logger logger;
    private ProxyCore core;

    @Inject
    public VelocityPlugin(ProxyServer proxy, Logger logger) {
        this.proxy = proxy;
        this.logger = logger;
    }

    /** Starts the core. Velocity accepts no connections before this method has returned. */
    @Subscribe
    public void onStart(ProxyInitializeEvent event) {
        VelocityPlatform platform = new VelocityPlatform(proxy, logger);
        core = ProxyCore.start(platform);
        if (!core.active()) {
            return;
        }
        Attempts<Player> attempts = new Attempts<>(core);
        platform.findLoginsIn(attempts);
        Journeys<Component> journeys = new Journeys<>();
        EventManager events = proxy.getEventManager();
        events.register(this, new LoginListener(core, attempts));
        events.register(this, new PlayerListener(core, attempts, journeys));
        events.register(this, new MoveListener(proxy, core, journeys));
        events.register(this, new KickListener(proxy, core, journeys));
        events.register(this, new ProxyListener(core, platform));
        CommandManager commands = proxy.getCommandManager();
        commands.register(commands.metaBuilder("cloud").build(), new CloudCommand(core));
    }

    @Subscribe
    public void onStop(ProxyShutdownEvent event) {
        if (core != null) {
            core.close();
        }
    }
}
