package overworld.plugin.core.link;

import java.util.Comparator;
import java.util.regex.Pattern;

/** Converts names to the form that the link accepts, and sorts ids for display. */
public final class Names {
    /**
     * Maximum length of a player's name that the master accepts (UTF-16 units), as in shared/link/messages.ts. Java
     * Edition allows 16 characters. The limit is higher, because bridges for other editions add a prefix.
     */
    private static final int MAX_LETTERS = 32;

    /** Sorts service ids by template and then by number: {@code lobby-2} comes before {@code lobby-10}. */
    public static final Comparator<String> BY_TEMPLATE_AND_NUMBER =
            Comparator.comparing(Names::template).thenComparing(Names::number).thenComparing(id -> id);

    /** Same pattern as shared/model/service-id.ts. */
    private static final Pattern SERVICE_ID = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}-[1-9][0-9]{0,9}");

    private Names() {}

    public static boolean isServiceId(String text) {
        return SERVICE_ID.matcher(text).matches();
    }

    /**
     * Returns a player's name in a form that the link accepts, because a single invalid name would close the
     * connection.
     */
    public static String clean(String name) {
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

    public static String cut(String text, int most) {
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
