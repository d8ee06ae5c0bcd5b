package overworld.plugin.core;

import java.util.Comparator;
import java.util.regex.Pattern;

/** Names in the form of the link, and the order of displayed ids. */
final class Names {
    /** Maximum length of a name on the link. Java Edition itself allows 16. */
    private static final int MAX_LETTERS = 32;

    /** Orders by template and then by number: {@code lobby-2} comes before {@code lobby-10}. */
    static final Comparator<String> BY_TEMPLATE_AND_NUMBER =
            Comparator.comparing(Names::template).thenComparing(Names::number).thenComparing(id -> id);

    /** Same pattern as shared/model/service-id.ts. */
    private static final Pattern SERVICE_ID = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}-[1-9][0-9]{0,9}");

    private Names() {}

    static boolean isServiceId(String text) {
        return SERVICE_ID.matcher(text).matches();
    }

    /**
     * Returns a player's name in a form that the link accepts, because one invalid name must not break the
     * connection.
     */
    static String clean(String name) {
        if (isAsJavaEdition(name)) {
            return name;
        }
        StringBuilder clean = new StringBuilder();
        name.codePoints()
                .limit(MAX_LETTERS)
                .map(letter -> isPlain(letter) ? letter : '_')
                .forEach(clean::appendCodePoint);
        // The link counts UTF-16 units.
        int end = Math.min(clean.length(), MAX_LETTERS);
        if (end > 0 && Character.isHighSurrogate(clean.charAt(end - 1))) {
            end--;
        }
        return end == 0 ? "_" : clean.substring(0, end);
    }

    static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most);
    }

    /** Returns whether the name has only letters, digits and underscores, as nearly all names do. */
    private static boolean isAsJavaEdition(String name) {
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            boolean usual = letter == '_'
                    || letter >= '0' && letter <= '9'
                    || letter >= 'A' && letter <= 'Z'
                    || letter >= 'a' && letter <= 'z';
            if (!usual) {
                return false;
            }
        }
        return !name.isEmpty() && name.length() <= MAX_LETTERS;
    }

    private static boolean isPlain(int letter) {
        return (letter > ' ' && letter < 127) || Character.isLetterOrDigit(letter);
    }

    private static String template(String id) {
        return id.substring(0, Math.max(0, id.lastIndexOf('-')));
    }

    private static long number(String id) {
        String end = id.substring(id.lastIndexOf('-') + 1);
        return end.matches("[0-9]{1,18}") ? Long.parseLong(end) : -1;
    }
}
