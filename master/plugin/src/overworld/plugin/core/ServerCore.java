package overworld.plugin.core;

import overworld.api.Provided;
import overworld.plugin.core.api.InUse;
import overworld.plugin.core.api.OwnApi;
import overworld.plugin.core.link.HandOver;
import overworld.plugin.core.link.MasterLink;
import overworld.plugin.core.log.RareLog;
import overworld.plugin.core.network.Network;
import overworld.plugin.core.network.Numbers;
import overworld.plugin.core.platform.ServerPlatform;
import overworld.plugin.core.players.Count;

/** Overworld's core in a game server. Reports to the master how many players are on it and whether it is in use. */
public final class ServerCore implements AutoCloseable {
    private final Count count = new Count();
    /** The link to the master. This and the next field are null if Overworld did not start this server. */
    private final MasterLink link;
    private final OwnApi api;

    private ServerCore(ServerPlatform platform, RareLog log, String service) {
        if (service == null) {
            link = null;
            api = null;
            return;
        }
        InUse inUse = new InUse();
        Numbers numbers = new Numbers(() -> 0);
        Network network = new Network(backend -> {}, id -> {}, server -> 0);
        api = new OwnApi(service, network, numbers, inUse);
        link = new MasterLink(platform.folder(), log, platform.kind(), platform.software(), () -> 0)
                .add(count)
                .add(inUse)
                .add(network)
                .on("network", numbers::apply)
                .on("backends", network::apply);
    }

    /**
     * Starts the core. If there is no hand-over file, Overworld did not start this server: the core logs that once
     * and does nothing else.
     */
    public static ServerCore start(ServerPlatform platform) {
        RareLog log = new RareLog(platform::log);
        if (!HandOver.isIn(platform.folder())) {
            log.info("There is no " + HandOver.FILE + " here, so this server was not started by Overworld: its plugin does "
                    + "nothing.");
            return new ServerCore(platform, log, null);
        }
        ServerCore core = new ServerCore(platform, log, MasterLink.ownService(platform.folder(), log));
        Provided.set(core.api);
        core.link.start();
        return core;
    }

    /** Whether Overworld started this server. */
    public boolean active() {
        return link != null;
    }

    /** Reports the number of players. Only changes are sent. May be called at any rate and from any thread. */
    public void count(int online, int max) {
        count.set(online, max);
    }

    /** Closes the link and stops its threads. */
    @Override
    public void close() {
        if (link != null) {
            Provided.clear(api);
            link.close();
        }
    }
}
