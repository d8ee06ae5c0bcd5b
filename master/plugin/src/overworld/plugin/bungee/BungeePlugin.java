package overworld.plugin.bungee;

import java.util.concurrent.TimeUnit;
import net.md_5.bungee.api.ProxyServer;
import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.connection.PendingConnection;
import net.md_5.bungee.api.plugin.Plugin;
import net.md_5.bungee.api.plugin.PluginManager;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.MoveTexts;
import overworld.plugin.core.ProxyCore;

/** Main class on BungeeCord, Waterfall and other forks, named by {@code bungee.yml}. */
public final class BungeePlugin extends Plugin {
    private ProxyCore core;

    @Override
    public void onEnable() {
        ProxyServer proxy = getProxy();
        BungeePlatform platform = new BungeePlatform(this);
        core = ProxyCore.start(platform);
        if (!core.active()) {
            return;
        }
        Priorities.fill(proxy, getLogger());
        Attempts<PendingConnection> attempts = new Attempts<>(core);
        platform.findLoginsIn(attempts);
        PluginManager manager = proxy.getPluginManager();
        Journeys<BaseComponent[]> journeys = new Journeys<>();
        MoveTexts<BaseComponent[]> texts = new MoveTexts<>(core, Text::of, Text::around);
        manager.registerListener(this, new LoginListener(this, core, attempts));
        manager.registerListener(this, new PlayerListener(core, attempts, journeys, texts));
        manager.registerListener(this, new MoveListener(proxy, core, journeys, texts));
        manager.registerListener(this, new KickListener(proxy, core, journeys, texts));
        manager.registerListener(this, new ProxyListener(this, core, platform));
        manager.registerCommand(this, new CloudCommand(core));
        // BungeeCord has no event for a connection that closes during login.
        proxy.getScheduler().schedule(this, () -> attempts.endAll(it -> !it.isConnected()), 1, 1, TimeUnit.SECONDS);
    }

    @Override
    public void onDisable() {
        if (core != null) {
            core.close();
        }
    }
}
