package overworld.api.velocity;

import com.velocitypowered.api.event.ResultedEvent;
import com.velocitypowered.api.event.ResultedEvent.ComponentResult;
import com.velocitypowered.api.proxy.Player;
import java.util.Objects;
import net.kyori.adventure.text.serializer.legacy.LegacyComponentSerializer;

/**
 * Somebody wants to join, and the network is full ({@code max_online_players}). Denied, as it is from the beginning:
 * refused with the result's message; allowed: let in beyond the limit. Also fired when nobody can tell whether it is
 * full: this proxy's places are taken, and the master is away. The player waits for the listeners, at most 5 seconds.
 */
public final class GlobalPlayerLimitReachedEvent implements ResultedEvent<ComponentResult> {
    private final Player player;
    private final int online;
    private final int limit;
    private volatile ComponentResult result;

    /** For Overworld's own plugin. */
    public GlobalPlayerLimitReachedEvent(Player player, int online, int limit, String message) {
        this.player = player;
        this.online = online;
        this.limit = limit;
        result = ComponentResult.denied(
                LegacyComponentSerializer.legacySection().deserialize(message));
    }

    /** Who logs in: the account was checked, permissions are known; on no server yet. */
    public Player getPlayer() {
        return player;
    }

    /** Players on the whole network. */
    public int getOnline() {
        return online;
    }

    /** Most players on the whole network. */
    public int getLimit() {
        return limit;
    }

    @Override
    public ComponentResult getResult() {
        return result;
    }

    /** @param result allowed: let in beyond the limit; denied: with what the player is told */
    @Override
    public void setResult(ComponentResult result) {
        this.result = Objects.requireNonNull(result);
    }
}
