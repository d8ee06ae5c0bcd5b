package overworld.api.velocity;

import com.velocitypowered.api.event.ResultedEvent;
import com.velocitypowered.api.event.ResultedEvent.ComponentResult;
import com.velocitypowered.api.proxy.Player;
import java.util.Objects;
import net.kyori.adventure.text.serializer.legacy.LegacyComponentSerializer;

/**
 * Fired when a player wants to join and the network is full ({@code max_online_players}).
 *
 * <p>The event starts denied: the player is refused with the result's message. If a listener sets the result to
 * allowed, the player may join beyond the limit. The event is also fired if all slots of this proxy are taken and the
 * master is unreachable, because it is then unknown whether the network is full.
 *
 * <p>The player waits for the listeners, at most 5 seconds.
 */
public final class GlobalPlayerLimitReachedEvent implements ResultedEvent<ComponentResult> {
    private final Player player;
    private final int online;
    private final int limit;
    private volatile ComponentResult result;

    /** Creates the event. For Overworld's own plugin only. */
    public GlobalPlayerLimitReachedEvent(Player player, int online, int limit, String message) {
        this.player = player;
        this.online = online;
        this.limit = limit;
        result = ComponentResult.denied(
                LegacyComponentSerializer.legacySection().deserialize(message));
    }

    /**
     * Returns the player who logs in. The account is authenticated and its permissions are known. The player is on
     * no server yet.
     */
    public Player getPlayer() {
        return player;
    }

    /** Returns the number of players on the whole network. */
    public int getOnline() {
        return online;
    }

    /** Returns the player limit of the whole network. */
    public int getLimit() {
        return limit;
    }

    @Override
    public ComponentResult getResult() {
        return result;
    }

    /**
     * Refuses the player or lets the player join.
     *
     * @param result allowed: the player may join beyond the limit; denied: the player is refused with this message
     */
    @Override
    public void setResult(ComponentResult result) {
        this.result = Objects.requireNonNull(result);
    }
}
