package overworld.test;

import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.permission.PermissionsSetupEvent;
import com.velocitypowered.api.permission.Tristate;
import com.velocitypowered.api.proxy.Player;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Replaces a permission plugin on Velocity, which has no built-in permissions. The file {@code permissions.txt}
 * contains lines of the form {@code <player or *> <permission>}, and is read at each query.
 */
public final class PermissionsFile {
    @Subscribe
    public void onSetup(PermissionsSetupEvent event) {
        if (event.getSubject() instanceof Player) {
            String name = ((Player) event.getSubject()).getUsername();
            event.setProvider(subject -> permission -> isGiven(name, permission) ? Tristate.TRUE : Tristate.UNDEFINED);
        }
    }

    private static boolean isGiven(String name, String permission) {
        try {
            return Files.readAllLines(Path.of("permissions.txt")).stream()
                    .anyMatch(line -> line.equals(name + " " + permission) || line.equals("* " + permission));
        } catch (IOException e) {
            return false;
        }
    }
}
