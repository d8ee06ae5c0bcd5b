package net.md_5.bungee.api.scheduler;

public interface ScheduledTask {
    void cancel();
}
