package overworld.plugin.core.tasks;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import overworld.plugin.core.log.RareLog;

/**
 * Threads of the core, besides the link's own threads. One timer runs only short tasks of the core itself. A few
 * workers run tasks that call the platform or other plugins and may be slow. All are daemon threads. Failures are
 * logged.
 */
public final class Tasks implements AutoCloseable {
    private static final int WORKERS = 4;
    private static final int MAX_QUEUED = 20_000;
    private static final long IDLE_S = 30;

    private final RareLog log;
    private final ScheduledThreadPoolExecutor clock;
    private final ThreadPoolExecutor workers;

    public Tasks(RareLog log) {
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
     * Runs a task on a worker.
     *
     * @return false if the task will not run, because too many tasks are waiting or the plugin is shutting down
     */
    public boolean run(String what, Runnable task) {
        try {
            workers.execute(() -> guard(what, task));
            return true;
        } catch (RejectedExecutionException e) {
            log.warn("workers", what + " was skipped: too many tasks are waiting, or the plugin is shutting down");
            return false;
        }
    }

    /** Runs a short task of the core after a delay. */
    public void after(long ms, String what, Runnable task) {
        try {
            clock.schedule(() -> guard(what, task), ms, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.warn("clock", what + " was skipped: the plugin is shutting down");
        }
    }

    public void every(long ms, String what, Runnable task) {
        clock.scheduleWithFixedDelay(() -> guard(what, task), ms, ms, TimeUnit.MILLISECONDS);
    }

    /** Runs a task on this thread. Logs its exceptions and does not propagate them. */
    public void guard(String what, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            // Catches Errors as well, because an Error of another plugin must not terminate the core's threads.
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
