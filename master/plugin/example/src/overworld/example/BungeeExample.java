package overworld.example;

import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.api.plugin.Plugin;
import net.md_5.bungee.event.EventHandler;
import overworld.api.bungee.GlobalPlayerLimitReachedEvent;

/** BungeeCord example: lets VIPs join beyond the player limit. */
public final class BungeeExample extends Plugin implements Listener {
    @Override
    public void onEnable() {
        getProxy().getPluginManager().registerListener(this, this);
    }

    @EventHandler
    public void onLimitReached(GlobalPlayerLimitReachedEvent event) {
        if (event.hasPermission(Vip.PERMISSION)) {
            event.setCancelled(false);
        } else {
            event.setMessage(Vip.refusal(event.getOnline(), event.getLimit()));
        }
        getLogger().info(event.getName() + (event.isCancelled() ? " is not a VIP" : " is a VIP"));
    }
}
