package net.md_5.bungee.api.chat;

public abstract class BaseComponent {
    public static native String toLegacyText(BaseComponent... components);
}
