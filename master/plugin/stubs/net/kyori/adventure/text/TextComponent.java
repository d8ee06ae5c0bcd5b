package net.kyori.adventure.text;

public interface TextComponent extends Component {}
