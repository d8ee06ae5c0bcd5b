package overworld.practice;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import overworld.practice.protocol.ProtocolVersion;

/**
 * A small server that an unmodified Minecraft client can find, join and stay on. It is for first steps, tests and
 * measurements without a real {@code server.jar}. It uses the folder in which it is started. Exit codes: 0 stopped,
 * 1 could not start or failed, 3 crashed by command, 143 stopped by TERM.
 */
public final class PracticeServer {
    /**
     * Maximum time that the server thread has after TERM (s). If the thread hangs, the process exits nevertheless,
     * because its players are lost anyway.
     */
    private static final long TERM_PATIENCE_S = 10;

    private static final CountDownLatch ENDED = new CountDownLatch(1);

    private PracticeServer() {}

    public static void main(String[] arguments) {
        run(Extension.NONE);
    }

    /** Runs the server until it is stopped. If the server fails, terminates the JVM. */
    static void run(Extension extension) {
        Thread.currentThread().setName("Server thread");
        int exitCode = 0;
        try {
            serve(Clock.nowMs(), extension);
        } catch (StartException e) {
            Log.error(e.getMessage());
            exitCode = 1;
        } catch (IOException | RuntimeException e) {
            Log.error("The server failed: " + e);
            exitCode = 1;
        }
        ENDED.countDown();
        if (exitCode != 0) {
            System.exit(exitCode);
        }
    }

    private static void serve(long startedAtMs, Extension extension) throws StartException, IOException {
        Log.info("This is Overworld's practice server, not a real Minecraft server: players can join and chat, but there "
                + "is no world");
        Log.info("Starting minecraft server for " + ProtocolVersion.titles());
        Log.info("Loading properties");
        ServerProperties properties = ServerProperties.load(Path.of(""));
        if (properties.wantsOnlineMode()) {
            Log.warn("online-mode=true is not possible: the practice server checks no accounts and goes on in offline "
                    + "mode");
        }
        PlayerList players = new PlayerList(properties, extension);
        ServerLoop loop = new ServerLoop(properties, players, extension);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopOnTerm(loop), "Server shutdown"));
        Commands commands = new Commands(players, loop, extension);
        new Console(System.in, line -> loop.execute(() -> commands.run(line))).start();
        if (!loop.pause(properties.startDelayMs(), properties.startLogMs())) {
            return;
        }
        StartWork.run(properties.startWork());
        extension.start(players, loop);
        int port = loop.listen();
        Log.info("Starting Minecraft server on " + (properties.ip().isEmpty() ? "*" : properties.ip()) + ":" + port);
        double seconds = (Clock.nowMs() - startedAtMs) / 1000.0;
        Log.info(String.format(Locale.ROOT, "Done (%.3fs)! For help, type \"help\"", seconds));
        loop.run();
        Log.info("Server stopped");
    }

    private static void stopOnTerm(ServerLoop loop) {
        if (ENDED.getCount() == 0) {
            return;
        }
        Log.info("Stopping server");
        loop.stop();
        try {
            if (!ENDED.await(TERM_PATIENCE_S, TimeUnit.SECONDS)) {
                Log.error("The server thread does not respond; exiting without it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
