package overworld.practice.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import overworld.practice.Log;
import overworld.practice.MalformedPacketException;

/** Somebody who was let in: on one game server, moving to another, or between two. Used by the proxy thread alone. */
final class Player {
    /** So many servers are tried in a row before a player is sent away. */
    private static final int MAX_TRIES = 4;

    final Client client;
    final UUID id;
    final String name;
    private final Proxy proxy;
    private final PlayPackets packets;
    private final Predicate<String> permission;
    private Upstream current;
    private Upstream next;
    /** Told the player once on the next server: why it is not on the old one any more. */
    private String newsOnArrival;
    private int tries;
    private boolean joined;
    private boolean ended;
    private volatile String server;

    Player(Client client, Proxy proxy, UUID id, String name) {
        this.client = client;
        this.proxy = proxy;
        this.id = id;
        this.name = name;
        this.packets = PlayPackets.of(client.protocol);
        this.permission = wanted -> proxy.permissions.has(name, wanted);
    }

    /** Name of the server that the player is on, null while on none. From any thread. */
    String server() {
        return server;
    }

    Predicate<String> permission() {
        return permission;
    }

    /** Goes to the first server; the client hears nothing of logging in before that one has let the player in. */
    void start() {
        Optional<String> first = proxy.gate().firstServer(id, permission);
        if (first.isEmpty()) {
            refuse(proxy.gate().noServer());
        } else {
            tryServer(first.get());
        }
    }

    /** Moves the player, as the player, an admin or a plugin wishes; if that is not possible the player stays. */
    void moveTo(String target) {
        if (ended || current == null || target.equals(current.server)) {
            return;
        }
        if (!packets.canMove()) {
            tell("This proxy moves players up to Minecraft 1.20.1 only.");
            return;
        }
        Optional<String> refusal = proxy.gate().refusal(id, target, permission);
        if (refusal.isPresent()) {
            tell(refusal.get());
            return;
        }
        newsOnArrival = null;
        open(target);
    }

    /** Moves on to a server that was chosen for the player; tries another one where it may not enter. */
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

    /** A server has let the player in. */
    void loggedIn(Upstream upstream, ByteBuffer packet) {
        if (ended || upstream != next) {
            upstream.close();
        } else if (!joined) {
            // The first one: its answer is the proxy's, and all that follows passes.
            joined = true;
            // The same name may have been let in twice at the same moment.
            proxy.players.find(id).ifPresent(twin -> twin.kick("You logged in from another location"));
            client.send(packet);
            proxy.players.add(this);
            proxy.gate().joined(id, name);
            arrived();
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
        // It may have waited for the one before.
        client.pause(false);
    }

    /** A packet from a server that the player has logged in to. */
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
            packets.sendSwitch(packet, client);
            if (newsOnArrival != null) {
                tell(newsOnArrival);
                newsOnArrival = null;
            }
        } else if (upstream == current) {
            packets.passToClient(kind, packet, client);
        }
    }

    void fromClient(ByteBuffer packet) throws MalformedPacketException {
        String typed = packets.commandIn(packet);
        if (typed != null && proxy.commands.byPlayer(this, typed)) {
            return;
        }
        if (current != null && packets.isForServer(packet)) {
            current.send(packet);
        }
    }

    /** A server does not let the player in, or has gone. */
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
        Log.info(name + (kicked ? " was kicked from " : " has lost ") + upstream.server + ": " + why);
        current = null;
        server = null;
        proxy.gate().switched(id, null);
        packets.leftServer();
        client.pause(false);
        if (next != null) {
            // On the way to another one already.
            return;
        }
        Gate gate = proxy.gate();
        Optional<String> other = packets.canMove() ? gate.fallback(id, upstream.server, permission) : Optional.empty();
        if (other.isEmpty()) {
            kick(kicked ? why : gate.lost(upstream.server));
            return;
        }
        newsOnArrival = kicked ? gate.movedAfterKick(upstream.server, other.get(), why)
                : gate.moved(upstream.server, other.get());
        tryServer(other.get());
    }

    /** A server that the player was to go to does not take it. */
    private void upstreamRefused(String target, String why) {
        Log.info(name + " could not enter " + target + ": " + why);
        if (current != null) {
            tell("You could not enter " + target + ": " + why);
            return;
        }
        Optional<String> other = tries < MAX_TRIES ? proxy.gate().fallback(id, target, permission) : Optional.empty();
        if (other.isPresent() && (packets.canMove() || !joined)) {
            tryServer(other.get());
        } else {
            refuse(why);
        }
    }

    /** Ends a player's coming in, or the connection of one who is in. */
    private void refuse(String why) {
        if (joined) {
            kick(why);
            return;
        }
        Log.info(name + " (" + client.address() + ") refused: " + why);
        client.refuse(why);
        gone(why);
    }

    /** Shows a line of chat. */
    void tell(String text) {
        packets.sendChat(text, client);
    }

    /** Ends the player's connection, with a reason. */
    void kick(String why) {
        if (ended) {
            return;
        }
        if (joined) {
            packets.sendKick(why, client);
        } else {
            client.refuse(why);
        }
        client.finish();
        gone(why);
    }

    /** The player's connection has ended. */
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
            Log.info(name + " has left: " + why);
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
