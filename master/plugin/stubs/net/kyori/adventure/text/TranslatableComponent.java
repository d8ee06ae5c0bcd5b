package net.kyori.adventure.text;

public interface TranslatableComponent extends Component {
    String key();
}
