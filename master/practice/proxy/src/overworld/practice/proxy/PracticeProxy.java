package overworld.practice.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import overworld.practice.Console;
import overworld.practice.Log;
import overworld.practice.StartException;

/**
 * A small proxy in offline mode, for trying out a network, for tests and for measurements without a real proxy. It
 * uses the folder in which it is started and ignores its arguments. Exit codes: 0 stopped, 1 could not start or
 * failed, 143 stopped by TERM.
 */
public final class PracticeProxy {
    /** Maximum time that the proxy thread has after TERM to disconnect all players (s). */
    private static final long TERM_PATIENCE_S = 10;
    private static final Path PLUGIN = Path.of("plugins", "overworld.jar");
    /**
     * System property that switches the plugin off, for tests and measurements of the proxy alone. All players may
     * then join, and are sent to the servers of {@code config.yml}.
     */
    private static final String WITHOUT_PLUGIN = "practice.without-plugin";

    private static final CountDownLatch ENDED = new CountDownLatch(1);

    private PracticeProxy() {}

    public static void main(String[] arguments) {
        Thread.currentThread().setName("Proxy thread");
        int exitCode = 0;
        try {
            serve();
        } catch (StartException e) {
            Log.error(e.getMessage());
            exitCode = 1;
        } catch (IOException | RuntimeException e) {
            Log.error("The proxy failed: " + e);
            exitCode = 1;
        }
        ENDED.countDown();
        if (exitCode != 0) {
            System.exit(exitCode);
        }
    }

    private static void serve() throws StartException, IOException {
        Log.info("This is Overworld's practice proxy " + version() + ", not a real one: it checks no accounts");
        ProxyConfig config = ProxyConfig.load(Path.of(""));
        ProxyLoop loop = new ProxyLoop();
        Proxy proxy = new Proxy(config, loop, Permissions.load(Path.of("")));
        int port = loop.listen(config.address, proxy::welcome);
        proxy.setGate(gateFor(proxy));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopOnTerm(loop), "Proxy shutdown"));
        new Console(System.in, line -> loop.execute(() -> proxy.commands.byConsole(line))).start();
        Log.info("Listening on /" + config.address.getAddress().getHostAddress() + ":" + port);
        loop.run(proxy::sayGoodbye);
        proxy.gate().close();
        Log.info("Proxy stopped");
    }

    private static String version() {
        String version = PracticeProxy.class.getPackage().getImplementationVersion();
        return version == null ? "(unpacked)" : version;
    }

    private static Gate gateFor(Proxy proxy) {
        if (Boolean.getBoolean(WITHOUT_PLUGIN)) {
            Log.warn("Without Overworld's plugin, as -D" + WITHOUT_PLUGIN + " asks: there is no limit of players");
            return StandInGate.open(proxy.config);
        }
        String why = "there is none";
        if (Files.exists(PLUGIN)) {
            try {
                return PluginLoader.start(PLUGIN, proxy, Proxy.TITLE + " " + version());
            } catch (IllegalStateException e) {
                why = e.getMessage();
            }
        }
        Log.error("Overworld's plugin (" + PLUGIN + ") does not work, so no players are admitted: " + why);
        return StandInGate.closed("Players cannot join: Overworld's plugin does not work in this proxy. See its log.",
                proxy.config);
    }

    private static void stopOnTerm(ProxyLoop loop) {
        if (ENDED.getCount() == 0) {
            return;
        }
        Log.info("Stopping the proxy");
        loop.stop();
        try {
            if (!ENDED.await(TERM_PATIENCE_S, TimeUnit.SECONDS)) {
                Log.error("The proxy thread does not respond; exiting without it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
