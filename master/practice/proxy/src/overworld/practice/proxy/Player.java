package overworld.practice.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import overworld.practice.Log;
import overworld.practice.MalformedPacketException;
import overworld.practice.proxy.packets.PlayPackets;
import overworld.practice.proxy.packets.Texts;

/**
 * A player who was allowed to join. The player is on one game server, is moving to another one, or is on none until
 * the next server accepts the player. Used only by the proxy thread.
 */
final class Player {
    /** Maximum number of servers that are tried in a row before a player is disconnected. */
    private static final int MAX_TRIES = 4;

    final Client client;
    final UUID id;
    final String name;
    private final Proxy proxy;
    private final PlayPackets packets;
    private final Predicate<String> permission;
    private Upstream current;
    private Upstream next;
    /** Chat message about the loss of the previous server, which is shown on the next server; null for none. */
    private String newsOnArrival;
    /** Server to which the player is moved from the next world; null for none. */
    private String moveOnArrival;
    private int tries;
    private boolean joined;
    private boolean ended;
    private volatile String server;

    Player(Client client, Proxy proxy, UUID id, String name) {
        this.client = client;
        this.proxy = proxy;
        this.id = id;
        this.name = name;
        this.packets = PlayPackets.of(client.protocol, client::send);
        this.permission = wanted -> proxy.permissions.has(name, wanted);
    }

    /** Returns the name of the player's server; null if the player is on none. May be called from any thread. */
    String server() {
        return server;
    }

    /** Returns whether the player has entered this server, and has neither left nor lost it. */
    boolean isOn(Upstream upstream) {
        return upstream == current;
    }

    Predicate<String> permission() {
        return permission;
    }

    /** Connects to the first server. The client's login is completed only when that server has accepted the player. */
    void start() {
        Optional<String> first = proxy.gate().firstServer(id, permission);
        if (first.isEmpty()) {
            refuse(proxy.gate().noServer());
        } else {
            tryServer(first.get());
        }
    }

    /**
     * Moves the player at the request of the player, an admin or a plugin. If the move is not possible, the player
     * stays on the current server.
     */
    void moveTo(String target) {
        if (ended || current == null || target.equals(current.server)) {
            return;
        }
        if (!packets.canMove()) {
            Log.info(name + " cannot be moved: the client is newer than Minecraft " + PlayPackets.NEWEST);
            return;
        }
        Optional<String> refusal = proxy.gate().refusal(id, target, permission);
        if (refusal.isPresent()) {
            tell(refusal.get());
            return;
        }
        newsOnArrival = null;
        // This request replaces an earlier one, whether it waits for the next world or for the answer of a server.
        moveOnArrival = null;
        if (packets.isReadyToMove()) {
            open(target);
        } else {
            dropNext();
            moveOnArrival = target;
        }
    }

    /** Connects to a server that was chosen for the player. If the player may not enter it, tries another one. */
    private void tryServer(String target) {
        tries++;
        Optional<String> refusal = proxy.gate().refusal(id, target, permission);
        if (refusal.isPresent()) {
            upstreamRefused(target, refusal.get());
        } else {
            open(target);
        }
    }

    private void open(String target) {
        dropNext();
        Optional<InetSocketAddress> address = proxy.servers.find(target);
        if (address.isEmpty()) {
            upstreamRefused(target, "there is no such server");
            return;
        }
        next = new Upstream(this, target, address.get(), proxy.config);
        try {
            next.open(proxy.loop);
        } catch (IOException e) {
            upstreamFailed(next, "it cannot be reached: " + e.getMessage());
        }
    }

    /** Handles a server's packet that accepts the player. */
    void loggedIn(Upstream upstream, ByteBuffer packet) throws MalformedPacketException {
        if (ended || upstream != next) {
            upstream.close();
        } else if (!joined) {
            // On the first server, this packet completes the player's login at the proxy, and all later packets are
            // passed on.
            joined = true;
            // Two clients may have been allowed to log in with one name at the same moment.
            proxy.players.find(id).ifPresent(twin -> twin.kick("You logged in from another location"));
            client.send(packet);
            proxy.players.add(this);
            proxy.gate().joined(id, name);
            arrived();
        } else if (packets.movesAtLogin() && !packets.isReadyToMove()) {
            moveOnArrival = upstream.server;
            dropNext();
        } else if (packets.movesAtLogin()) {
            arrived();
            packets.switchWorld(packet);
        }
    }

    private void arrived() {
        Upstream before = current;
        current = next;
        next = null;
        tries = 0;
        server = current.server;
        proxy.gate().switched(id, server);
        Log.info(name + " (" + client.address() + ") -> " + server);
        if (before != null) {
            before.close();
        }
        // Reading may have been paused because of the previous server.
        client.pause(false);
    }

    /** Handles a packet of a server on which the player is logged in. */
    void fromServer(Upstream upstream, ByteBuffer packet) throws MalformedPacketException {
        if (ended) {
            return;
        }
        PlayPackets.Kind kind = packets.kindFromServer(packet);
        if (kind == PlayPackets.Kind.KICK) {
            String reason = packets.reasonOf(packet);
            upstream.close();
            upstreamEnded(upstream, reason, true);
        } else if (upstream == next && kind == PlayPackets.Kind.JOIN_GAME) {
            arrived();
            packets.switchWorld(packet);
            tellNews();
        } else if (upstream == current) {
            packets.passToClient(kind, packet);
            if (kind == PlayPackets.Kind.JOIN_GAME) {
                tellNews();
                continueMove();
            }
        }
    }

    private void continueMove() {
        String target = moveOnArrival;
        moveOnArrival = null;
        if (target != null) {
            moveTo(target);
        }
    }

    private void tellNews() {
        if (newsOnArrival != null) {
            tell(newsOnArrival);
            newsOnArrival = null;
        }
    }

    void fromClient(ByteBuffer packet) throws MalformedPacketException {
        String typed = packets.commandIn(packet);
        if (typed != null && proxy.commands.byPlayer(this, typed)) {
            return;
        }
        for (ByteBuffer forServer : packets.forServer(packet)) {
            if (current != null) {
                current.send(forServer);
            }
        }
    }

    /** Handles a server that does not accept the player, or whose connection was lost. */
    void upstreamFailed(Upstream upstream, String why) {
        upstreamEnded(upstream, why, false);
    }

    private void upstreamEnded(Upstream upstream, String why, boolean kicked) {
        if (ended || (upstream != current && upstream != next)) {
            return;
        }
        if (upstream == next) {
            next = null;
            upstreamRefused(upstream.server, why);
            return;
        }
        Log.info(name + (kicked ? " was kicked from " : " has lost ") + upstream.server + ": " + Texts.forLog(why));
        current = null;
        server = null;
        proxy.gate().switched(id, null);
        packets.leftServer();
        client.pause(false);
        if (next != null && packets.isReadyToMove()) {
            // The player is already moving to another server.
            return;
        }
        Gate gate = proxy.gate();
        Optional<String> other = packets.isReadyToMove() ? gate.fallback(id, upstream.server, permission)
                : Optional.empty();
        if (other.isEmpty()) {
            kick(kicked ? why : gate.lost(upstream.server));
            return;
        }
        newsOnArrival = kicked ? gate.movedAfterKick(upstream.server, other.get(), why)
                : gate.moved(upstream.server, other.get());
        tryServer(other.get());
    }

    /** Handles a server that did not accept the player. */
    private void upstreamRefused(String target, String why) {
        Log.info(name + " could not enter " + target + ": " + Texts.forLog(why));
        if (current != null) {
            tell("You could not enter " + target + ": " + why);
            return;
        }
        Optional<String> other = tries < MAX_TRIES ? proxy.gate().fallback(id, target, permission) : Optional.empty();
        if (other.isPresent() && (packets.isReadyToMove() || !joined)) {
            tryServer(other.get());
        } else {
            refuse(why);
        }
    }

    /** Refuses a player who is still logging in, or disconnects one who has joined. */
    private void refuse(String why) {
        if (joined) {
            kick(why);
            return;
        }
        Log.info(name + " (" + client.address() + ") refused: " + Texts.forLog(why));
        client.refuse(why);
        gone(why);
    }

    /** Shows a line of chat to the player. */
    void tell(String text) {
        packets.showLine(text);
    }

    /** Disconnects the player, with a reason. */
    void kick(String why) {
        if (ended) {
            return;
        }
        if (joined) {
            packets.disconnect(why);
        } else {
            client.refuse(why);
        }
        client.finish();
        gone(why);
    }

    /** Handles the end of the player's connection. */
    void gone(String why) {
        if (ended) {
            return;
        }
        ended = true;
        dropNext();
        if (current != null) {
            current.close();
            current = null;
        }
        server = null;
        if (joined) {
            Log.info(name + " has left: " + Texts.forLog(why));
            proxy.players.remove(this);
            proxy.gate().left(id);
        } else {
            proxy.gate().loginEnded(id);
        }
    }

    private void dropNext() {
        if (next != null) {
            next.close();
            next = null;
        }
    }

    void clientCongested(boolean now) {
        if (current != null) {
            current.pause(now);
        }
    }
}
