package net.md_5.bungee.api.chat;

public final class TextComponent extends BaseComponent {
    public static native BaseComponent[] fromLegacyText(String message);
}
