package overworld.plugin.core;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Version of this plugin, as the build wrote it into the jar. */
final class PluginVersion {
    private static final String FILE = "/overworld-plugin.properties";

    private PluginVersion() {}

    static String read() {
        Properties lines = new Properties();
        try (InputStream in = PluginVersion.class.getResourceAsStream(FILE)) {
            if (in != null) {
                lines.load(in);
            }
        } catch (IOException e) {
            // The version is shown to people; nothing depends on it.
        }
        return lines.getProperty("version", "unknown");
    }
}
