import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Server that executes commands on its console:
 *
 * - `say X`: prints X
 * - `whisper X`: prints X from a helper process that exits immediately
 * - `exit N`: exits with code N
 * - `spawn`: starts a helper process in the server's process group, which outlives the server
 * - `daemon`: starts a helper process in its own session
 * - `flood N`: prints N megabytes of lines
 * - `deaf`: ignores `stop`, `end` and SIGTERM from now on
 * - `environment`: prints the environment variables
 * - `arguments`: prints the maximum memory of the JVM (bytes)
 * - `property X`, `user`: print the system property X, and the user as Java reports it
 * - `stop`, `end`: exit with code 0
 */
const SOURCE = `
import java.io.*;
import java.util.*;

public class Probe {
  static volatile boolean deaf = false;

  public static void main(String[] args) throws Exception {
    System.out.println("probe ready " + String.join(" ", args));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ", 2);
      switch (words[0]) {
        case "say": System.out.println(words[1]); break;
        case "whisper": start("echo", words[1]); break;
        case "exit": System.exit(Integer.parseInt(words[1])); break;
        case "spawn": start("sleep", "300"); break;
        case "daemon": start("setsid", "sleep", "300"); break;
        case "flood": flood(Integer.parseInt(words[1])); break;
        case "deaf": deaf(); break;
        case "environment": System.out.println("environment " + new TreeMap<>(System.getenv())); break;
        case "property": System.out.println("property " + System.getProperty(words[1])); break;
        case "user": System.out.println("user " + System.getProperty("user.name") + " at " + System.getProperty("user.home")); break;
        case "arguments": System.out.println("memory " + Runtime.getRuntime().maxMemory()); break;
        case "stop": case "end": if (!deaf) { System.out.println("got " + line); System.exit(0); } break;
        default: System.out.println("unknown: " + line);
      }
    }
    System.out.println("end of input");
  }

  static void start(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    System.out.println("helper " + process.pid());
  }

  static void deaf() {
    deaf = true;
    sun.misc.Signal.handle(new sun.misc.Signal("TERM"), signal -> System.out.println("ignored TERM"));
    System.out.println("deaf now");
  }

  static void flood(int megabytes) {
    String line = "x".repeat(1023);
    PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
    for (int i = 0; i < megabytes * 1024; i++) out.println(line);
    out.println("flooded");
    out.flush();
  }
}
`;

/**
 * Builds the `server.jar` of the probe server. The caller calls `remove` after its tests.
 *
 * @param manifest additional lines of the jar's manifest, such as those of server software
 */
export function buildProbeServer(manifest = ''): { readonly jar: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'overworld-probe-'));
  mkdirSync(join(folder, 'classes'));
  writeFileSync(join(folder, 'Probe.java'), SOURCE);
  execFileSync(
    'javac',
    ['-nowarn', '-XDignore.symbol.file', '-d', join(folder, 'classes'), join(folder, 'Probe.java')],
    { stdio: 'pipe' },
  );
  const jar = join(folder, 'server.jar');
  writeFileSync(join(folder, 'manifest'), manifest);
  execFileSync('jar', ['cfem', jar, 'Probe', join(folder, 'manifest'), '-C', join(folder, 'classes'), '.']);
  return { jar, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
