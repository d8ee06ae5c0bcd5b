package net.md_5.bungee.api.scheduler;

import java.util.concurrent.TimeUnit;
import net.md_5.bungee.api.plugin.Plugin;

public interface TaskScheduler {
    ScheduledTask runAsync(Plugin owner, Runnable task);

    ScheduledTask schedule(Plugin owner, Runnable task, long delay, long period, TimeUnit unit);

    int cancel(Plugin plugin);
}
