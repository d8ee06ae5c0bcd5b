package overworld.plugin.core.link;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Version of this plugin, written into the jar by the build. */
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
            // Ignored, because the version is only displayed.
        }
        return lines.getProperty("version", "unknown");
    }
}
