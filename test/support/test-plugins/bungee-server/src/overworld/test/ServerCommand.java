package overworld.test;

import net.md_5.bungee.api.CommandSender;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Command;
import net.md_5.bungee.api.plugin.Plugin;

/**
 * Implements the command {@code /server <name>}. It replaces the module with this command that BungeeCord would
 * download at its first start.
 */
public final class ServerCommand extends Plugin {
    @Override
    public void onEnable() {
        getProxy().getPluginManager().registerCommand(this, new Command("server") {
            @Override
            public void execute(CommandSender sender, String[] arguments) {
                ServerInfo target = arguments.length == 1 ? getProxy().getServerInfo(arguments[0]) : null;
                if (sender instanceof ProxiedPlayer && target != null) {
                    ((ProxiedPlayer) sender).connect(target);
                }
            }
        });
    }
}
