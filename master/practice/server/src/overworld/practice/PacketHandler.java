package overworld.practice;

/**
 * Handles the packets of a connection in one phase. Another handler replaces it when the connection changes its phase,
 * for example from handshake to login or from login to play.
 */
interface PacketHandler {
    /** Returns the maximum size of a packet that is accepted in this phase (bytes). */
    int maxPacketBytes();

    /**
     * Handles one packet.
     *
     * @throws MalformedPacketException if the packet violates the protocol; the caller closes the connection
     */
    void handle(int packetId, PacketReader body) throws MalformedPacketException;

    /** Checks deadlines. Called about once a second. */
    void tick(long nowMs);

    /**
     * Sends the client the reason why it is being disconnected, if the phase has a packet for that. The caller
     * closes the connection.
     */
    void sayGoodbye(String reason);

    /** Called once, when the connection is closed or the client is disconnected. */
    void closed(String reason);
}
