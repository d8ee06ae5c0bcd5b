package overworld.practice;

import java.util.Set;

/**
 * Chat components in NBT, the binary form in which Minecraft 1.20.3 and later send them after the login. NBT consists of
 * tags: a number for the tag's type, then its content.
 */
public final class NbtText {
    private static final int END = 0;
    private static final int BYTE_ARRAY = 7;
    private static final int STRING = 8;
    private static final int LIST = 9;
    private static final int COMPOUND = 10;
    private static final int INT_ARRAY = 11;
    private static final int LONG_ARRAY = 12;
    /** Sizes of the tags with a fixed size (bytes), by type: numbers of 1, 2, 4 and 8 bytes. */
    private static final int[] FIXED_BYTES = {0, 1, 2, 4, 8, 4, 8};
    /** Maximum nesting of a component that is read, as in Minecraft. */
    private static final int MAX_DEPTH = 512;
    /** Maximum length of a text (UTF-16 units). Each unit has up to 3 bytes, and a text up to 65,535 bytes. */
    private static final int MAX_CHARS = 65_535 / 3;
    /** Maximum length of the joined texts of a component that is read (UTF-16 units), as in Minecraft's JSON. */
    private static final int MAX_READ_CHARS = 262_144;
    /**
     * Names of the fields whose texts a client shows. A text in a list has the name of the list's field. The name is
     * empty if the whole component is only a text.
     */
    private static final Set<String> SHOWN = Set.of("text", "translate", "extra", "");

    private NbtText() {}

    /** Writes a component. A text that is too long for the protocol is cut off. */
    public static void write(Text text, PacketWriter to) {
        if (text.colour().isPresent()) {
            to.writeByte(COMPOUND);
            writeField("text", text.words(), to);
            writeField("color", text.colour().get(), to);
            to.writeByte(END);
        } else {
            to.writeByte(STRING);
            writeString(text.words(), to);
        }
    }

    private static void writeField(String name, String value, PacketWriter to) {
        to.writeByte(STRING);
        writeString(name, to);
        writeString(value, to);
    }

    private static void writeString(String text, PacketWriter to) {
        to.writeModifiedUtf8(text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS) : text);
    }

    /**
     * Returns the texts of a component, joined together, and moves the reader behind the component. Text beyond
     * 262,144 characters is cut off.
     *
     * @throws MalformedPacketException if the packet has no component here
     */
    public static String read(PacketReader from) throws MalformedPacketException {
        StringBuilder words = new StringBuilder();
        readContent(from.readByte(), "", from, words, 0);
        return words.toString();
    }

    private static void readContent(int type, String field, PacketReader from, StringBuilder words, int depth)
            throws MalformedPacketException {
        if (depth > MAX_DEPTH) {
            throw new MalformedPacketException("a text has more than " + MAX_DEPTH + " levels");
        }
        if (type >= END && type < FIXED_BYTES.length) {
            from.skip(FIXED_BYTES[type]);
        } else if (type == BYTE_ARRAY) {
            from.skip(from.readInt());
        } else if (type == INT_ARRAY) {
            from.skip(Integer.BYTES * (long) from.readInt());
        } else if (type == LONG_ARRAY) {
            from.skip(Long.BYTES * (long) from.readInt());
        } else if (type == STRING) {
            String text = from.readModifiedUtf8();
            int room = SHOWN.contains(field) ? MAX_READ_CHARS - words.length() : 0;
            words.append(text, 0, Math.min(text.length(), room));
        } else if (type == LIST) {
            readList(field, from, words, depth);
        } else if (type == COMPOUND) {
            for (int child = from.readByte(); child != END; child = from.readByte()) {
                readContent(child, from.readModifiedUtf8(), from, words, depth + 1);
            }
        } else {
            throw new MalformedPacketException("a text contains a tag of the unknown type " + type);
        }
    }

    private static void readList(String field, PacketReader from, StringBuilder words, int depth)
            throws MalformedPacketException {
        int type = from.readByte();
        int length = from.readInt();
        if (type == END && length > 0) {
            throw new MalformedPacketException("a list in a text has " + length + " elements without content");
        }
        for (int i = 0; i < length; i++) {
            readContent(type, field, from, words, depth + 1);
        }
    }
}
