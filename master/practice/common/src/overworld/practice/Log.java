package overworld.practice;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;

/** Writes log lines in the format of a vanilla server: {@code [12:34:56] [Server thread/INFO]: text}. */
public final class Log {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    private Log() {}

    public static void info(String text) {
        write("INFO", text);
    }

    public static void warn(String text) {
        write("WARN", text);
    }

    public static void error(String text) {
        write("ERROR", text);
    }

    /** Writes a line with a single call, so that lines of two threads do not mix and no reader sees half a line. */
    private static void write(String level, String text) {
        String line = "[" + LocalTime.now().format(TIME) + "] [" + Thread.currentThread().getName() + "/" + level + "]: "
                + withoutControls(text) + System.lineSeparator();
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        OUT.write(bytes, 0, bytes.length);
        OUT.flush();
    }

    /**
     * Replaces control characters by question marks. Otherwise text that players send could begin a new log line or
     * colour the terminal.
     */
    private static String withoutControls(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
