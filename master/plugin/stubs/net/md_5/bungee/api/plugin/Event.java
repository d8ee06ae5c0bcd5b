package net.md_5.bungee.api.plugin;

public abstract class Event {
    public native void postCall();
}
