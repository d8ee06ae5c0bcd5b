package overworld.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import overworld.plugin.adapter.ForcedHosts;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.json.JsonReader;
import overworld.plugin.core.json.JsonWriter;
import overworld.plugin.core.link.Delays;
import overworld.plugin.core.network.Choice;

/**
 * Runs plugin cores for tests, without proxies. Each line on stdin is a JSON command with {@code id}, {@code do} and
 * usually {@code core}. The driver prints one response line with the same ID on stdout. For each action of a core on
 * its proxy, it prints a line with {@code event}. The program exits when stdin closes.
 */
public final class Driver {
    private final Map<String, DrivenCore> cores = new HashMap<>();

    private Driver() {}

    public static void main(String[] arguments) throws IOException {
        new Driver().run();
    }

    private void run() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int id = 0;
            try {
                Fields command = Fields.of(JsonReader.read(line));
                id = command.number("id", 1);
                int answerTo = id;
                carryOut(command).whenComplete((result, failure) -> answer(answerTo, result, failure));
            } catch (JsonException | RuntimeException e) {
                answer(id, null, e);
            }
        }
        cores.values().forEach(DrivenCore::close);
    }

    private CompletableFuture<?> carryOut(Fields command) throws JsonException {
        String what = command.text("do");
        switch (what) {
            case "json":
                return done(command.texts("texts").stream().map(Driver::rewrite).collect(Collectors.toList()));
            case "choose":
                return done(Choice.choose(command));
            case "is-forced":
                return done(ForcedHosts.assigns(
                        Map.of(command.text("address"), command.texts("servers")),
                        command.text("host"),
                        command.text("server")));
            case "most-at-once":
                return done(Crowd.mostAtOnce());
            case "delays":
                return done(Delays.after(command.texts("attempts")));
            case "threads":
                return done(threads());
            case "start":
                String name = command.text("core");
                cores.put(name, new DrivenCore(name, command.text("kind"), command.text("folder")));
                return done(null);
            default:
                return core(command).carryOut(what, command);
        }
    }

    private DrivenCore core(Fields command) throws JsonException {
        DrivenCore core = cores.get(command.text("core"));
        if (core == null) {
            throw new JsonException("no such core");
        }
        return core;
    }

    /**
     * Parses a text with the plugin's JSON reader, and writes the value with the plugin's JSON writer. Returns the
     * result or the error.
     */
    private static Map<String, Object> rewrite(String text) {
        Map<String, Object> result = new LinkedHashMap<>();
        try {
            result.put("json", JsonWriter.write(JsonReader.read(text)));
        } catch (JsonException e) {
            result.put("error", e.getMessage());
        }
        return result;
    }

    private static Object threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("Overworld"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    static CompletableFuture<Object> done(Object result) {
        return CompletableFuture.completedFuture(result);
    }

    private static void answer(int id, Object result, Throwable failure) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", id);
        if (failure == null) {
            answer.put("result", result);
        } else {
            answer.put("error", failure.toString());
        }
        say(answer);
    }

    /** Prints one complete line. */
    static void say(Map<String, Object> line) {
        byte[] bytes = (JsonWriter.write(line) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (System.out) {
            System.out.write(bytes, 0, bytes.length);
            System.out.flush();
        }
    }
}
