package overworld.practice;

/** What a connection does with what it receives; replaced as the connection goes from handshake to login to play. */
interface PacketHandler {
    /** Longest packet accepted in this phase, in bytes. */
    int maxPacketBytes();

    /** Handles one packet. A packet that breaks the protocol is refused with the exception, which ends the connection. */
    void handle(int packetId, PacketReader body) throws MalformedPacketException;

    /** Called about once a second; for deadlines. */
    void tick(long nowMs);

    /** Tells the client, if this phase has a way to, why it is being disconnected. The connection is closed by the caller. */
    void sayGoodbye(String reason);

    /** The connection is gone. Called once. */
    void closed(String reason);
}
