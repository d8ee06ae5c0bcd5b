package net.md_5.bungee.api;

import net.md_5.bungee.api.chat.BaseComponent;

public interface CommandSender {
    String getName();

    boolean hasPermission(String permission);

    void sendMessage(BaseComponent... message);
}
