package overworld.test;

import net.md_5.bungee.api.CommandSender;
import net.md_5.bungee.api.ServerConnectRequest;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.event.ServerConnectEvent;
import net.md_5.bungee.api.plugin.Command;
import net.md_5.bungee.api.plugin.Plugin;

/**
 * Implements the command {@code /server <name>}. It replaces the module with this command that BungeeCord would
 * download at its first start. With the further argument {@code retry}, BungeeCord tries another server if this one
 * cannot be reached.
 */
public final class ServerCommand extends Plugin {
    @Override
    public void onEnable() {
        getProxy().getPluginManager().registerCommand(this, new Command("server") {
            @Override
            public void execute(CommandSender sender, String[] arguments) {
                ServerInfo target = arguments.length == 0 ? null : getProxy().getServerInfo(arguments[0]);
                if (sender instanceof ProxiedPlayer && target != null) {
                    ((ProxiedPlayer) sender).connect(ServerConnectRequest.builder()
                            .target(target)
                            .reason(ServerConnectEvent.Reason.PLUGIN)
                            .retry(arguments.length == 2 && arguments[1].equals("retry"))
                            .build());
                }
            }
        });
    }
}
