package net.md_5.bungee.api;

public class ServerPing {
    public native Players getPlayers();

    public static class Players {
        public native void setOnline(int online);

        public native void setMax(int max);
    }
}
