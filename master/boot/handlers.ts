import type { LoopContext } from '#master/control/loop/loop-context.ts';
import type { EventLog } from '#master/store/event-log.ts';
import type { BackupState } from '#shared/model/backup.ts';
import type { Handlers } from '#master/admin/api.ts';
import { keyChangeWords, type KeyChange } from '#master/admin/key-change.ts';
import { activityHandlers } from '#master/admin/handlers/activity.ts';
import { backupHandlers } from '#master/admin/handlers/backup.ts';
import { configHandlers } from '#master/admin/handlers/config.ts';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import { costsHandlers } from '#master/admin/handlers/costs.ts';
import { historyHandlers } from '#master/admin/handlers/history.ts';
import { keysHandlers } from '#master/admin/handlers/keys.ts';
import { masterHandlers, type MasterFacts } from '#master/admin/handlers/master.ts';
import { nodesHandlers } from '#master/admin/handlers/nodes.ts';
import { planHandlers } from '#master/admin/handlers/plan.ts';
import { QueryThrottle } from '#master/admin/handlers/query-throttle.ts';
import { playersHandlers } from '#master/admin/handlers/players.ts';
import { providerHandlers } from '#master/admin/handlers/provider.ts';
import { securityHandlers, type ReadableSecurityLog } from '#master/admin/handlers/security.ts';
import { servicesHandlers } from '#master/admin/handlers/services/services.ts';
import { softwareHandlers } from '#master/admin/handlers/software.ts';
import { sessionsHandlers, type SessionEnd } from '#master/admin/handlers/sessions.ts';
import { templatesHandlers } from '#master/admin/handlers/templates.ts';
import { volumesHandlers } from '#master/admin/handlers/volumes.ts';
import { playerEntryHandlers } from '#master/admin/handlers/player-entry.ts';
import type { CopyPlaces } from '#master/admin/service-copies/copy-service.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import type { KeyStore } from '#master/admin/keys.ts';
import type { SessionRegistry } from '#master/admin/sessions.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { Recorder } from '#master/control/history/recorder.ts';
import type { Loop } from '#master/control/loop/loop.ts';
import type { ServiceCommands } from '#master/control/services/service-commands.ts';
import { Creations } from '#master/control/templates/creations.ts';
import { RollingRestarts } from '#master/control/services/rolling-restarts.ts';
import type { ProviderProjects } from '#master/nodes/provider-projects.ts';
import type { SoftwareLibrary } from '#master/software/software-library.ts';
import type { CreationNote } from '#master/store/creation-note.ts';
import type { SecurityLog } from '#master/store/security-log/security-log.ts';
import { PlayerCommands } from '#master/ingress/player-commands.ts';
import { VolumeCommands } from '#master/control/volumes/volume-commands.ts';
import { OverrideCommands } from '#master/control/services/override-commands.ts';

/** The parts that decide, act and record: the control loop, the service commands, and the recorder of the history. */
export interface ControlSide {
  readonly loop: Loop;
  readonly orders: ServiceCommands;
  readonly recorder: Recorder;
}

/** The parts that only the handlers of the admin API use. */
export interface AdminSide {
  readonly keys: KeyStore;
  readonly sessions: SessionRegistry;
  readonly facts: MasterFacts;
  readonly jobs: FileJobs;
  /**
   * The staging folder, in which copies of services' files are collected, and the filter that hides the network's
   * secret in them.
   */
  readonly places: CopyPlaces;
  readonly security: ReadableSecurityLog & Pick<SecurityLog, 'flushed'>;
  /** Reads the state of the backups. */
  readonly backupState: () => Promise<BackupState>;
  readonly creationNote: CreationNote;
  readonly library: SoftwareLibrary;
  readonly projects: ProviderProjects;
  /** Folder that contains the template folders. */
  readonly templatesFolder: string;
}

/** Creates all handlers of the admin API. Each file in `admin/handlers` handles one kind of object, such as nodes. */
export function allHandlers(
  parts: LoopContext,
  { loop, orders, recorder }: ControlSide,
  admin: AdminSide,
): Handlers {
  const { keys, sessions, facts, jobs, places, security, creationNote, library } = admin;
  const overrideCommands = new OverrideCommands(parts, loop);
  const rollingRestarts = new RollingRestarts(parts, loop);
  const { published, deletions, drains } = loop;
  const { events } = parts;
  // All handlers share one list of tasks, so that the limits of the list apply to the tasks of all methods.
  const tasks = new Tasks();
  const files = { jobs, events, viewersRead: facts.viewersRead, tasks };
  // Comparisons of revisions and of saves share one throttle, because each may take hundreds of MB of memory.
  const comparisons = new QueryThrottle('waiting comparisons');
  const onKeyChange = (change: KeyChange): void => {
    emitKeyChange(parts.events, change);
    parts.topics.publish('keys');
  };
  return {
    ...masterHandlers(facts),
    ...configHandlers(parts, facts),
    ...templatesHandlers({
      context: parts,
      planStatus: published.planStatus,
      overrideCommands,
      rollingRestarts,
      deletions,
      creations: new Creations(parts, creationNote),
      library,
      comparisons,
    }),
    ...volumesHandlers({
      context: parts,
      commands: new VolumeCommands(parts, loop),
      saves: loop.volumeSaves,
      comparisons,
    }),
    ...servicesHandlers({
      context: parts,
      published,
      orders,
      overrideCommands,
      rollingRestarts,
      drains,
      files: { ...files, places },
    }),
    ...nodesHandlers({ context: parts, published, overrideCommands }),
    ...providerHandlers({ context: parts, published, projects: admin.projects }),
    ...planHandlers(parts, published),
    ...playersHandlers(parts, new PlayerCommands(parts), published),
    ...playerEntryHandlers(parts),
    ...activityHandlers(parts.events),
    ...historyHandlers(recorder),
    ...costsHandlers(recorder),
    ...softwareHandlers({ context: parts, library, tasks, folder: admin.templatesFolder }),
    ...filesHandlers(files),
    ...keysHandlers(keys, onKeyChange),
    ...sessionsHandlers(sessions, (end) => {
      reportSessionEnd(parts.events, end);
      return security.flushed();
    }),
    ...securityHandlers(security),
    ...backupHandlers(admin.backupState),
  };
}

function emitKeyChange(events: EventLog, { kind, key, actor }: KeyChange): void {
  events.add({
    kind,
    subject: { type: 'key', id: key.name },
    template: null,
    actor,
    message: keyChangeWords(kind, key),
    cause: `requested by ${actor}, ${key.fingerprint}`,
  });
}

function reportSessionEnd(events: EventLog, { session, actor }: SessionEnd): void {
  events.add({
    kind: 'session.ended',
    subject: { type: 'key', id: session.key },
    template: null,
    actor,
    message: `The session of ${session.key} from ${session.address} was ended`,
    cause: `requested by ${actor}`,
  });
}
