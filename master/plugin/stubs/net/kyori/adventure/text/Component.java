package net.kyori.adventure.text;

public interface Component {
    static TextComponent empty() {
        throw new UnsupportedOperationException();
    }

    default Component append(Component other) {
        throw new UnsupportedOperationException();
    }
}
