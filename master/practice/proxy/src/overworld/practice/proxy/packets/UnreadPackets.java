package overworld.practice.proxy.packets;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Packets of versions that this proxy does not know. All packets are passed on unread, so that players with such a
 * version can neither be moved nor get a reason when the proxy disconnects them.
 */
final class UnreadPackets implements PlayPackets {
    private final Consumer<ByteBuffer> client;

    UnreadPackets(Consumer<ByteBuffer> client) {
        this.client = client;
    }

    @Override
    public boolean canMove() {
        return false;
    }

    @Override
    public boolean isReadyToMove() {
        return false;
    }

    @Override
    public boolean movesAtLogin() {
        return false;
    }

    @Override
    public Kind kindFromServer(ByteBuffer packet) {
        return Kind.OTHER;
    }

    @Override
    public void passToClient(Kind kind, ByteBuffer packet) {
        client.accept(packet);
    }

    @Override
    public String reasonOf(ByteBuffer packet) {
        throw new IllegalStateException("no packet of this version is read");
    }

    @Override
    public void leftServer() {
        // Nothing is remembered about a server.
    }

    @Override
    public void switchWorld(ByteBuffer accepted) {
        throw new IllegalStateException("players of this version cannot be moved");
    }

    @Override
    public String commandIn(ByteBuffer packet) {
        return null;
    }

    @Override
    public List<ByteBuffer> forServer(ByteBuffer packet) {
        return Collections.singletonList(packet);
    }

    @Override
    public void showLine(String text) {
        // The packet for it is not known.
    }

    @Override
    public void disconnect(String why) {
        // The packet for it is not known.
    }
}
