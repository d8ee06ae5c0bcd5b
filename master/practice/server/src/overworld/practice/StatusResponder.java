package overworld.practice;

/** Answers a server list request: the status once, then one echo with which the client measures the latency. */
final class StatusResponder implements PacketHandler {
    private static final int MAX_PACKET_BYTES = 16;

    private final Connection connection;
    private final PhaseDeadline deadline;
    private final String status;
    private boolean answered;

    StatusResponder(Connection connection, PhaseDeadline deadline, String status) {
        this.connection = connection;
        this.deadline = deadline;
        this.status = status;
    }

    @Override
    public int maxPacketBytes() {
        return MAX_PACKET_BYTES;
    }

    @Override
    public void handle(int packetId, PacketReader body) throws MalformedPacketException {
        if (packetId == 0x00 && !answered) {
            body.expectEnd();
            answered = true;
            connection.send(new PacketWriter(0x00).writeString(status));
        } else if (packetId == 0x01) {
            long token = body.readLong();
            body.expectEnd();
            connection.send(new PacketWriter(0x01).writeLong(token));
            connection.disconnect("Status answered");
        } else {
            throw new MalformedPacketException("expected a status request");
        }
    }

    @Override
    public void tick(long nowMs) {
        deadline.check(nowMs);
    }

    @Override
    public void sayGoodbye(String reason) {
        // The status phase has no packet with which a reason could be sent.
    }

    @Override
    public void closed(String reason) {
        // No player has joined.
    }
}
