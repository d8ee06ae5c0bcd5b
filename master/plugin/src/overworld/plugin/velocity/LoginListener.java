package overworld.plugin.velocity;

import com.velocitypowered.api.event.EventTask;
import com.velocitypowered.api.event.PostOrder;
import com.velocitypowered.api.event.ResultedEvent.ComponentResult;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.connection.LoginEvent;
import com.velocitypowered.api.proxy.Player;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.platform.Verdict;

/** Asks the core whether each player who logs in may join. Public, because Velocity calls it by reflection. */
public final class LoginListener {
    private final ProxyCore core;
    private final Attempts<Player> attempts;

    LoginListener(ProxyCore core, Attempts<Player> attempts) {
        this.core = core;
        this.attempts = attempts;
    }

    /**
     * Runs after other plugins, so that a player whom one of them refuses (a ban) takes no slot.
     *
     * @return the task for which Velocity waits; null if it need not wait
     */
    @Subscribe(order = PostOrder.LAST)
    public EventTask onLogin(LoginEvent event) {
        if (!event.getResult().isAllowed()) {
            return null;
        }
        Player player = event.getPlayer();
        attempts.began(player, player.getUniqueId());
        return EventTask.resumeWhenComplete(core.login(player.getUniqueId(), player.getUsername())
                .thenAccept(verdict -> answer(event, verdict)));
    }

    private void answer(LoginEvent event, Verdict verdict) {
        Player player = event.getPlayer();
        attempts.answered(player, player.getUniqueId(), verdict);
        if (!verdict.allowed()) {
            event.setResult(ComponentResult.denied(Text.of(verdict.message())));
        }
    }
}
