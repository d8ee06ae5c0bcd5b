package overworld.practice;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs the plugins' repeating tasks on the server's thread. Ignores the number of ticks: each task runs about once
 * a second.
 */
final class TickScheduler {
    private static final class Task {
        final Object plugin;
        final Runnable run;

        Task(Object plugin, Runnable run) {
            this.plugin = plugin;
            this.run = run;
        }
    }

    private final boolean isFolia;
    private final List<Task> tasks = new ArrayList<>();

    TickScheduler(boolean isFolia) {
        this.isFolia = isFolia;
    }

    /**
     * Returns an implementation of Bukkit's scheduler.
     *
     * @param type {@code BukkitScheduler} of any API version
     */
    <T> T bukkit(Class<T> type) {
        return ServerView.proxyOf(type, (method, arguments) -> {
            if (isFolia) {
                throw new UnsupportedOperationException(method.getName());
            }
            if (method.getName().equals("runTaskTimer")) {
                tasks.add(new Task(arguments[0], (Runnable) arguments[1]));
            } else {
                cancel(arguments[0]);
            }
            return null;
        });
    }

    /**
     * Returns an implementation of Folia's global scheduler.
     *
     * @param type {@code GlobalRegionScheduler} of any API version
     */
    <T> T regions(Class<T> type) {
        return ServerView.proxyOf(type, (method, arguments) -> {
            if (method.getName().equals("runAtFixedRate")) {
                tasks.add(new Task(arguments[0], () -> ((Consumer<?>) arguments[1]).accept(null)));
            } else {
                cancel(arguments[0]);
            }
            return null;
        });
    }

    void runTasks() {
        List.copyOf(tasks).forEach(task -> task.run.run());
    }

    private void cancel(Object plugin) {
        tasks.removeIf(task -> task.plugin == plugin);
    }
}
