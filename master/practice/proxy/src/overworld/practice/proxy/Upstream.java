package overworld.practice.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import overworld.practice.Clock;
import overworld.practice.MalformedPacketException;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;
import overworld.practice.proxy.packets.Texts;

/** A player's connection to one game server: logs the player in on the server, then passes packets on. */
final class Upstream implements Wire.Owner {
    private static final int MAX_COMPONENT_CHARS = 262_144;
    private static final int MAX_UNPACKED_BYTES = 8 * 1024 * 1024;
    private static final int MAX_CHANNEL_CHARS = 32_767;
    private static final long LOGIN_LIMIT_MS = 10_000;
    private static final long CONNECT_LIMIT_MS = 5_000;
    private static final int WANTS_LOGIN = 2;

    private static final int DISCONNECT = 0x00;
    private static final int ENCRYPTION = 0x01;
    private static final int SUCCESS = 0x02;
    private static final int COMPRESSION = 0x03;
    private static final int PLUGIN_REQUEST = 0x04;
    private static final int PLUGIN_ANSWER = 0x02;

    private enum Phase { CONNECTING, LOGIN, PLAY }

    final String server;
    private final Player player;
    private final boolean forwarding;
    private final int timeoutMs;
    private final long startedAtMs = Clock.nowMs();
    private final InetSocketAddress address;
    private Wire wire;
    private Phase phase = Phase.CONNECTING;
    private long acceptedAtMs;
    private boolean packed;
    private Inflater inflater;

    Upstream(Player player, String server, InetSocketAddress address, ProxyConfig config) {
        this.player = player;
        this.server = server;
        this.address = address;
        this.forwarding = config.forwarding;
        this.timeoutMs = config.timeoutMs;
    }

    /**
     * Opens the connection.
     *
     * @throws IOException if it fails immediately
     */
    void open(ProxyLoop loop) throws IOException {
        wire = loop.connect(address, this);
    }

    @Override
    public void connected() {
        if (phase != Phase.CONNECTING || !wire.isOpen()) {
            return;
        }
        phase = Phase.LOGIN;
        Client client = player.client;
        String host = client.host;
        if (forwarding) {
            // Legacy forwarding: the player's address and id follow the host that the player typed.
            host = hostOnly(host) + "\0" + client.address() + "\0" + player.id.toString().replace("-", "");
        }
        wire.send(new PacketWriter(0x00).writeVarInt(client.protocol).writeString(host).writeShort(client.port)
                .writeVarInt(WANTS_LOGIN).toPacket());
        wire.send(ByteBuffer.wrap(client.loginStart));
    }

    /** Removes the text that modded clients append to the host. */
    private static String hostOnly(String host) {
        int end = host.indexOf('\0');
        return end < 0 ? host : host.substring(0, end);
    }

    @Override
    public int maxPacketBytes() {
        return Wire.MAX_PACKET_BYTES;
    }

    @Override
    public void packet(ByteBuffer frame) throws MalformedPacketException {
        ByteBuffer packet = packed ? unpack(frame) : frame;
        if (phase == Phase.PLAY) {
            player.fromServer(this, packet);
        } else {
            login(packet);
        }
    }

    private void login(ByteBuffer packet) throws MalformedPacketException {
        PacketReader body = new PacketReader(packet.duplicate());
        switch (body.readVarInt()) {
            case DISCONNECT:
                refused(Texts.plain(body.readString(MAX_COMPONENT_CHARS)));
                break;
            case ENCRYPTION:
                refused(server + " checks accounts itself: its server.properties must say online-mode=false");
                break;
            case SUCCESS:
                phase = Phase.PLAY;
                acceptedAtMs = Clock.nowMs();
                player.loggedIn(this, packet);
                break;
            case COMPRESSION:
                packed = body.readVarInt() >= 0;
                break;
            case PLUGIN_REQUEST:
                int request = body.readVarInt();
                body.readString(MAX_CHANNEL_CHARS);
                send(new PacketWriter(PLUGIN_ANSWER).writeVarInt(request).writeBoolean(false).toPacket());
                break;
            default:
                // Packets of later versions, such as cookie requests, need no answer here.
        }
    }

    private void refused(String why) {
        close();
        player.upstreamFailed(this, why);
    }

    /**
     * Returns the content of a packet from a connection with compression. The packet begins with its uncompressed
     * length, or 0 if it is not compressed.
     */
    private ByteBuffer unpack(ByteBuffer frame) throws MalformedPacketException {
        int length = new PacketReader(frame).readVarInt();
        if (length == 0) {
            return frame.slice();
        }
        if (length < 0 || length > MAX_UNPACKED_BYTES) {
            throw new MalformedPacketException("a packed packet of " + length + " bytes");
        }
        inflater = inflater == null ? new Inflater() : inflater;
        inflater.reset();
        inflater.setInput(frame);
        byte[] bytes = new byte[length];
        try {
            for (int at = 0; at < length;) {
                int count = inflater.inflate(bytes, at, length - at);
                if (count == 0) {
                    throw new MalformedPacketException("a packed packet is shorter than it says");
                }
                at += count;
            }
        } catch (DataFormatException e) {
            throw new MalformedPacketException("a packed packet that cannot be unpacked");
        }
        return ByteBuffer.wrap(bytes);
    }

    /** Passes a packet on to the server. If the server uses compression, marks the packet as not compressed. */
    void send(ByteBuffer packet) {
        if (packed) {
            wire.sendAfter((byte) 0, packet);
        } else {
            wire.send(packet);
        }
    }

    /**
     * Stops reading from the server, or continues.
     *
     * @param now whether to stop
     */
    void pause(boolean now) {
        wire.pause(now);
    }

    @Override
    public void congested(boolean now) {
        player.client.pause(now);
    }

    @Override
    public void malformed(String why) {
        refused("it sent " + why);
    }

    @Override
    public void tick(long nowMs) {
        if (nowMs - waitingSinceMs() >= limitMs()) {
            refused("it does not answer");
        }
    }

    /** Returns the moment since which the proxy has been waiting for the server's next packet ({@link Clock}). */
    private long waitingSinceMs() {
        if (phase != Phase.PLAY) {
            return startedAtMs;
        }
        // A server that has accepted the player must let the player in within the time limit. Its other packets do
        // not extend this time.
        return player.isOn(this) ? wire.heardAtMs() : acceptedAtMs;
    }

    private long limitMs() {
        switch (phase) {
            case CONNECTING:
                return CONNECT_LIMIT_MS;
            case LOGIN:
                return LOGIN_LIMIT_MS;
            default:
                return timeoutMs;
        }
    }

    @Override
    public void lost(String why) {
        refused(why);
    }

    /** Closes the connection. Data that arrives afterwards is ignored. */
    void close() {
        if (wire != null) {
            wire.close();
        }
        if (inflater != null) {
            inflater.end();
            inflater = null;
        }
    }
}
