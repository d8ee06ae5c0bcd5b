package overworld.plugin.bungee;

import java.util.UUID;
import net.md_5.bungee.api.connection.PendingConnection;
import net.md_5.bungee.api.event.LoginEvent;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.api.plugin.Plugin;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.platform.Verdict;

/** Asks the core whether each player who logs in may join. Public, because BungeeCord calls it by reflection. */
public final class LoginListener implements Listener {
    private static final byte LAST = 64;

    private final Plugin plugin;
    private final ProxyCore core;
    private final Attempts<PendingConnection> attempts;

    LoginListener(Plugin plugin, ProxyCore core, Attempts<PendingConnection> attempts) {
        this.plugin = plugin;
        this.core = core;
        this.attempts = attempts;
    }

    /** Runs after other plugins, so that a player whom one of them refuses (a ban) takes no slot. */
    @EventHandler(priority = LAST)
    public void onLogin(LoginEvent event) {
        if (event.isCancelled()) {
            return;
        }
        PendingConnection connection = event.getConnection();
        UUID player = connection.getUniqueId();
        attempts.began(connection, player);
        event.registerIntent(plugin);
        core.login(player, connection.getName()).thenAccept(verdict -> {
            try {
                answer(event, verdict);
            } finally {
                event.completeIntent(plugin);
            }
        });
    }

    private void answer(LoginEvent event, Verdict verdict) {
        PendingConnection connection = event.getConnection();
        attempts.answered(connection, connection.getUniqueId(), verdict);
        if (!verdict.allowed()) {
            event.setCancelReason(Text.of(verdict.message()));
            event.setCancelled(true);
        }
    }
}
