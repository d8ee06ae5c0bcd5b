package overworld.plugin.core.link;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import overworld.plugin.core.json.JsonException;

/** Reads lines in strict UTF-8. Each line must end with a line feed and not exceed a maximum length. */
final class LineReader {
    private final InputStream in;
    private final int maxBytes;
    private final byte[] buffer = new byte[8192];
    private int from;
    private int to;

    LineReader(InputStream in, int maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /**
     * Reads the next line.
     *
     * @throws IOException at the end of the stream
     * @throws JsonException for a line that is too long or not UTF-8
     */
    String read() throws IOException, JsonException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        for (;;) {
            int end = from;
            while (end < to && buffer[end] != '\n') {
                end++;
            }
            if (line.size() + end - from > maxBytes) {
                throw new JsonException("the master sent a line of more than " + maxBytes + " bytes");
            }
            line.write(buffer, from, end - from);
            from = end + 1;
            if (end < to) {
                return decode(line.toByteArray());
            }
            from = 0;
            to = Math.max(0, in.read(buffer));
            if (to == 0) {
                throw new EOFException("the master closed the connection");
            }
        }
    }

    private static String decode(byte[] line) throws JsonException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(line))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new JsonException("the master sent a line that is not UTF-8");
        }
    }
}
