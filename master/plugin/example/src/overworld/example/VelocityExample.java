package overworld.example;

import com.google.inject.Inject;
import com.velocitypowered.api.event.ResultedEvent.ComponentResult;
import com.velocitypowered.api.event.Subscribe;
import net.kyori.adventure.text.serializer.legacy.LegacyComponentSerializer;
import org.slf4j.Logger;
import overworld.api.velocity.GlobalPlayerLimitReachedEvent;

/** Velocity example: lets VIPs join beyond the player limit. */
public final class VelocityExample {
    private final Logger logger;

    @Inject
    public VelocityExample(Logger logger) {
        this.logger = logger;
    }

    @Subscribe
    public void onLimitReached(GlobalPlayerLimitReachedEvent event) {
        boolean isVip = event.getPlayer().hasPermission(Vip.PERMISSION);
        if (isVip) {
            event.setResult(ComponentResult.allowed());
        } else {
            String refusal = Vip.refusal(event.getOnline(), event.getLimit());
            event.setResult(ComponentResult.denied(
                    LegacyComponentSerializer.legacySection().deserialize(refusal)));
        }
        logger.info(event.getPlayer().getUsername() + (isVip ? " is a VIP" : " is not a VIP"));
    }
}
