package overworld.practice;

import java.util.Optional;
import java.util.OptionalInt;
import overworld.practice.protocol.GamePackets;
import overworld.practice.protocol.GamePackets.Sender;
import overworld.practice.protocol.ProtocolVersion;

/**
 * One player in the game: spawns the player, sends keep-alives, handles chat, and removes the player. There is no
 * world; the player floats in the void.
 */
final class Play implements PacketHandler {
    /**
     * Maximum size of a packet (bytes). A client's custom payload may have 32,767 bytes; all other packets are
     * smaller.
     */
    private static final int MAX_PACKET_BYTES = 33_000;

    private final Connection connection;
    private final ProtocolVersion version;
    private final GamePackets packets;
    private final PlayerList players;
    private final Profile profile;
    private boolean inGame;
    private long keepAliveAtMs = Clock.nowMs();
    private int keepAliveId;
    private boolean keepAliveAnswered = true;

    Play(Connection connection, ProtocolVersion version, PlayerList players, Profile profile) {
        this.connection = connection;
        this.version = version;
        this.packets = version.packets;
        this.players = players;
        this.profile = profile;
    }

    Profile profile() {
        return profile;
    }

    /**
     * Begins the phase: spawns the player and announces the join to all players. Refuses a player for whom there is no
     * room any more.
     */
    void join() {
        connection.setHandler(this);
        if (connection.isEnding()) {
            return;
        }
        Optional<String> refusal = players.makeRoomFor(profile.name);
        if (refusal.isPresent()) {
            Log.info(profile.name + " (" + connection.address() + ") refused: " + refusal.get());
            connection.disconnect(refusal.get());
            return;
        }
        int entityId = players.add(this);
        inGame = true;
        packets.spawn(entityId, players.max()).forEach(connection::send);
        Log.info(profile.name + "[" + connection.address() + "] logged in with entity id " + entityId + ", Minecraft "
                + version.title);
        players.announceJoin(this);
    }

    /** Shows the player a line from the server. */
    void tell(Text line) {
        connection.send(packets.chat(line, Sender.SYSTEM));
    }

    /** Shows the player what another player said. */
    void hear(Text line) {
        connection.send(packets.chat(line, Sender.PLAYER));
    }

    void kick(String reason) {
        connection.disconnect(reason);
    }

    @Override
    public int maxPacketBytes() {
        return MAX_PACKET_BYTES;
    }

    @Override
    public void handle(int packetId, PacketReader body) throws MalformedPacketException {
        OptionalInt answered = packets.keepAliveAnswer(packetId, body);
        keepAliveAnswered |= answered.isPresent() && answered.getAsInt() == keepAliveId;
        Optional<String> typed = packets.typed(packetId, body);
        if (typed.isPresent()) {
            heard(typed.get().strip());
        }
        // Packets such as movement, settings and animations have no effect here.
    }

    private void heard(String text) {
        if (text.chars().anyMatch(c -> c < ' ' || c == 0x7f || c == '\u00a7')) {
            kick("Illegal characters in chat");
        } else if (text.equals("/list")) {
            tell(Text.of(players.describe()));
        } else if (text.startsWith("/")) {
            tell(Text.of("Unknown command. This practice server knows /list.", "red"));
        } else if (!text.isEmpty()) {
            players.chat("<" + profile.name + "> " + text);
        }
    }

    @Override
    public void tick(long nowMs) {
        long sinceMs = nowMs - keepAliveAtMs;
        if (!keepAliveAnswered) {
            if (sinceMs >= players.timeoutMs()) {
                kick("Timed out");
            }
        } else if (sinceMs >= Math.min(players.keepAliveMs(), players.timeoutMs())) {
            keepAliveId++;
            keepAliveAtMs = nowMs;
            keepAliveAnswered = false;
            connection.send(packets.keepAlive(keepAliveId));
        }
    }

    @Override
    public void sayGoodbye(String reason) {
        connection.send(packets.disconnect(Text.of(reason)));
    }

    @Override
    public void closed(String reason) {
        if (!inGame) {
            return;
        }
        inGame = false;
        players.remove(this);
        Log.info(profile.name + " lost connection: " + reason);
        players.announce(profile.name + " left the game");
    }
}
