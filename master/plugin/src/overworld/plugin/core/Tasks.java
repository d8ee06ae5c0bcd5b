package overworld.plugin.core;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import overworld.plugin.core.log.RareLog;

/**
 * The core's threads beside those of the link: a clock for what is due, which runs only our own short pieces, and a few
 * workers for what calls the platform or other plugins and may take its time. All are daemons; what fails is logged.
 */
final class Tasks implements AutoCloseable {
    private static final int WORKERS = 4;
    private static final int MAX_QUEUED = 20_000;
    private static final long IDLE_S = 30;

    private final RareLog log;
    private final ScheduledThreadPoolExecutor clock;
    private final ThreadPoolExecutor workers;

    Tasks(RareLog log) {
        this.log = log;
        clock = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "Overworld clock"));
        clock.setRemoveOnCancelPolicy(true);
        workers = new ThreadPoolExecutor(
                WORKERS,
                WORKERS,
                IDLE_S,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_QUEUED),
                task -> daemon(task, "Overworld worker"));
        workers.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs it soon on a worker.
     *
     * @return false: it will not be run, as too much is waiting or the plugin ends
     */
    boolean run(String what, Runnable task) {
        try {
            workers.execute(() -> guard(what, task));
            return true;
        } catch (RejectedExecutionException e) {
            log.warn("workers", what + " was left out: too much is waiting, or the plugin ends");
            return false;
        }
    }

    /** Runs a short piece of our own later. */
    void after(long ms, String what, Runnable task) {
        try {
            clock.schedule(() -> guard(what, task), ms, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.warn("clock", what + " was left out: the plugin ends");
        }
    }

    void every(long ms, String what, Runnable task) {
        clock.scheduleWithFixedDelay(() -> guard(what, task), ms, ms, TimeUnit.MILLISECONDS);
    }

    /** Runs it here and now; what it throws is logged and goes no further. */
    void guard(String what, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            // Errors, too: one of another plugin must not end our threads.
            log.failure(what, e);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        workers.shutdown();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
