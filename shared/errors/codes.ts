import { problemSentence, type FieldProblem } from '../config/document.ts';

/**
 * Who has to act: `user` (asked for something impossible), `config` (a document is wrong), `provider`, `node`,
 * `service` (it failed by itself), `transient` (try again), `internal` (our mistake).
 */
export type ErrorCategory = 'user' | 'config' | 'provider' | 'node' | 'service' | 'transient' | 'internal';

interface ErrorSpec<D> {
  readonly category: ErrorCategory;
  /** True: the same call may succeed later without anybody changing anything. */
  readonly retry: boolean;
  /** What happened, to what, why, and what to do; one or two sentences, shown as they are. */
  readonly sentence: (details: D) => string;
}

function code<D extends object>(
  category: ErrorCategory,
  sentence: (details: D) => string,
  retry = false,
): ErrorSpec<D> {
  return { category, retry, sentence };
}

/** The closed list of error codes. docs/errors.md is generated from it; a test compares both. */
export const errorCodes = {
  CONFIG_FAULTY: code<{ document: string; problems: readonly FieldProblem[] }>(
    'config',
    ({ document, problems }) =>
      `${document} is faulty and was not applied: ${problems.map(problemSentence).join(' ')} Correct it and save again.`,
  ),
  CONFIG_CONFLICT: code<{ document: string; basedOn: string; current: string }>(
    'user',
    ({ document }) =>
      `${document} was changed by somebody else since you opened it. Nothing was overwritten; reload it and apply your changes again.`,
  ),
  TEMPLATE_NOT_FOUND: code<{ template: string }>(
    'user',
    ({ template }) => `There is no template "${template}". It may have been deleted; reload the list.`,
  ),
  TEMPLATE_EXISTS: code<{ template: string }>(
    'user',
    ({ template }) => `A template with the id "${template}" exists already. Choose another id.`,
  ),
  TEMPLATE_IN_USE: code<{ template: string; services: readonly string[] }>(
    'user',
    ({ template, services }) =>
      `Template ${template} has ${services.length} service(s) (${services.slice(0, 5).join(', ')}). Stop them first, or delete the template together with them.`,
  ),
  SERVER_JAR_MISSING: code<{ template: string }>(
    'config',
    ({ template }) =>
      `The folder of template ${template} has no server.jar, so its services cannot start. Upload one; they start by themselves then.`,
  ),
  TEMPLATE_UNREADABLE: code<{ template: string; why: string }>(
    'config',
    ({ template, why }) =>
      `The files of template ${template} cannot be used: ${why}. Correct the folder; its services start by themselves then.`,
  ),
  NODE_NOT_FOUND: code<{ node: string }>(
    'user',
    ({ node }) => `There is no node "${node}". It may have been given back; reload the list.`,
  ),
  NODE_NOT_READY: code<{ node: string; state: string }>(
    'user',
    ({ node, state }) =>
      `Node ${node} is ${state}; only one that is up (READY, CORDONED or DRAINING) can be cordoned, drained or resumed.`,
  ),
  NODE_GOING: code<{ node: string }>(
    'user',
    ({ node }) => `Node ${node} is being given back to its provider; that cannot be undone.`,
  ),
  NODE_NOT_RENTED: code<{ node: string }>(
    'user',
    ({ node }) =>
      `Node ${node} is a machine of your own: there is no provider to give it back to. Drain it to take it out of use.`,
  ),
  NODE_LOCKED: code<{ node: string }>(
    'user',
    ({ node }) => `Node ${node} is locked. Unlock it before you give it back.`,
  ),
  TEMPLATE_LEAVING: code<{ template: string }>(
    'user',
    ({ template }) =>
      `Template ${template} is being deleted: it starts no services any more. Take the deletion back to go on using it.`,
  ),
  REVISION_NOT_FOUND: code<{ template: string; revision: string }>(
    'user',
    ({ template, revision }) =>
      `The content ${revision} of template ${template} is not kept any more. Choose another one.`,
  ),
  TASK_CANCELLED: code<{ task: string }>(
    'user',
    ({ task }) => `${task} was cancelled before its end; what was done by then stays.`,
  ),
  SERVICE_NOT_FOUND: code<{ service: string }>(
    'user',
    ({ service }) => `There is no service "${service}". It has probably stopped; see Activity.`,
  ),
  SERVICE_NOT_STARTED: code<{ service: string; state: string }>(
    'user',
    ({ service, state }) =>
      `Service ${service} has no running server while it is ${state}. Wait until it is RUNNING.`,
  ),
  MASTER_ENDING: code<{ what: string }>(
    'transient',
    ({ what }) => `The master is shutting down, so ${what} stays as it was. Try again once it runs again.`,
    true,
  ),
  CONSOLE_BLOCKED: code<{ service: string }>(
    'service',
    ({ service }) =>
      `Service ${service} does not read its console any more, so the command was not taken. Look at its log, or kill it.`,
    true,
  ),
  CAP_REACHED: code<{ template: string; maximum: number }>(
    'user',
    ({ template, maximum }) =>
      `Template ${template} has its maximum of ${maximum} services online. Raise maximumOnlineServers or stop one first.`,
  ),
  SERVICE_EXITED: code<{ service: string; exit: string; lastLine: string | null }>(
    'service',
    ({ service, exit, lastLine }) =>
      `Service ${service} ended by itself (${exit})${lastLine === null ? '' : `; its last line was "${lastLine}"`}. Read its log for the reason.`,
    true,
  ),
  SERVICE_START_TIMEOUT: code<{ service: string; afterMs: number }>(
    'service',
    ({ service, afterMs }) =>
      `Service ${service} answered no status ping within ${Math.round(afterMs / 1000)} s of its start and was ended. Read its log; a server that needs longer may lack memory.`,
    true,
  ),
  SERVICE_UNRESPONSIVE: code<{ service: string; forMs: number }>(
    'service',
    ({ service, forMs }) =>
      `Service ${service} has answered no status ping for ${Math.round(forMs / 1000)} s, though its process lives. Look at its console.`,
    true,
  ),
  EULA_NOT_ACCEPTED: code<{ service: string; template: string }>(
    'config',
    ({ service, template }) =>
      `Service ${service} ended because the Minecraft EULA is not accepted. Read it, then put a file eula.txt with the line eula=true into template ${template}.`,
  ),
  JAVA_MISSING: code<{ looked: readonly string[] }>(
    'node',
    ({ looked }) =>
      `No Java runtime was found (looked for ${looked.join(', ')}). Install one, for example with: apt-get install default-jre-headless`,
  ),
  JAVA_TOO_OLD: code<{ service: string; needs: string }>(
    'config',
    ({ service, needs }) =>
      `Service ${service} needs a newer Java: its server.jar was made for class file version ${needs}. Install a newer JRE on the node or put one into the template's jre/ folder.`,
  ),
  PORT_NONE_FREE: code<{ from: number; to: number }>(
    'node',
    ({ from, to }) =>
      `No free port is left between ${from} and ${to} on this node. Stop other programs that hold them.`,
    true,
  ),
  PREPARE_FAILED: code<{ service: string; why: string }>(
    'node',
    ({ service, why }) => `Service ${service} could not be prepared: ${why}.`,
    true,
  ),
  KEY_INVALID: code<{ why: string }>(
    'user',
    ({ why }) =>
      `This is not a usable SSH public key: ${why}. Paste one line as in id_ed25519.pub, beginning with ssh-ed25519, ecdsa-sha2-… or ssh-rsa.`,
  ),
  KEY_EXISTS: code<{ name: string; fingerprint: string }>(
    'user',
    ({ name, fingerprint }) => `This key (${fingerprint}) is already authorized under the name "${name}".`,
  ),
  KEY_NAME_TAKEN: code<{ name: string }>(
    'user',
    ({ name }) => `Another key has the name "${name}". Choose a different name.`,
  ),
  KEY_NOT_FOUND: code<{ key: string }>(
    'user',
    ({ key }) => `No authorized key has the name or fingerprint "${key}".`,
  ),
  KEY_LAST_OWNER: code<{ name: string }>(
    'user',
    ({ name }) =>
      `"${name}" is the last key of an owner; without it nobody could administer this master. Add another owner first.`,
  ),
  FORBIDDEN: code<{ method: string; role: string; needs: string }>(
    'user',
    ({ method, role, needs }) =>
      `Your key has the role ${role}, but ${method} needs ${needs}. Ask an owner of this master.`,
  ),
  PARAMS_INVALID: code<{ method: string; why: string }>(
    'user',
    ({ method, why }) => `The request ${method} was refused: ${why}.`,
  ),
  METHOD_UNKNOWN: code<{ method: string }>(
    'user',
    ({ method }) =>
      `This master does not know the request ${method}. App and master have different versions; update the older one.`,
  ),
  TOO_MANY: code<{ what: string; limit: number }>(
    'user',
    ({ what, limit }) => `Too many ${what} (at most ${limit}). Wait a moment or close some.`,
    true,
  ),
  MASTER_ALREADY_RUNNING: code<{ folder: string; pid: number }>(
    'user',
    ({ folder, pid }) =>
      `Another master (process ${pid}) holds the data folder ${folder}. Stop it first, or choose another folder with --data.`,
  ),
  DATA_FOLDER_UNSAFE: code<{ path: string; why: string }>(
    'config',
    ({ path, why }) => `The data folder is not safe to use: ${path} ${why}.`,
  ),
  DATA_FAULTY: code<{ path: string; why: string }>(
    'internal',
    ({ path, why }) =>
      `${path} cannot be read: ${why}. It was left as it is; restore it from a backup or move it away.`,
  ),
  LISTEN_FAILED: code<{ address: string; why: string }>(
    'config',
    ({ address, why }) =>
      `The master cannot listen on ${address}: ${why}. Choose another with --ssh-host or --ssh-port.`,
  ),
  MASTER_NOT_RUNNING: code<{ folder: string }>(
    'user',
    ({ folder }) =>
      `No master is running on the data folder ${folder}. Start it with: overworld-master run --data ${folder}`,
  ),
  MASTER_UNREACHABLE: code<{ address: string; why: string }>(
    'transient',
    ({ address, why }) =>
      `The master at ${address} cannot be reached: ${why}. Check address, port and firewall.`,
    true,
  ),
  HOST_KEY_CHANGED: code<{ address: string; expected: string; found: string }>(
    'user',
    ({ address, expected, found }) =>
      `The master at ${address} shows another host key than before (expected ${expected}, found ${found}). Somebody may be in between; connect only if you know why it changed.`,
  ),
  HOST_KEY_UNKNOWN: code<{ address: string; found: string }>(
    'user',
    ({ address, found }) =>
      `The master at ${address} is new to this app. It shows the host key ${found}; compare it with what overworld-master status says there, then trust it.`,
  ),
  CONNECTION_NOT_FOUND: code<{ connection: string }>(
    'user',
    ({ connection }) => `There is no connection "${connection}" any more. It may have been removed.`,
  ),
  CONNECTION_IN_USE: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The connection "${connection}" is in use, so it cannot be removed. Switch to another one first.`,
  ),
  CONNECTION_EMBEDDED: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The connection "${connection}" is that of the master that comes with the app: it cannot be changed or removed.`,
  ),
  AUTH_REFUSED: code<{ address: string; fingerprint: string }>(
    'user',
    ({ address, fingerprint }) =>
      `The master at ${address} does not accept this app's key (${fingerprint}). Add it there with: overworld-master keys add`,
  ),
  CONNECTION_LOST: code<{ address: string }>(
    'transient',
    ({ address }) => `The connection to the master at ${address} was lost. The app tries again by itself.`,
    true,
  ),
  NOT_CONNECTED: code<{ status: string }>(
    'transient',
    ({ status }) =>
      `There is no connection to the master at the moment (${status}). Try again when it is connected.`,
    true,
  ),
  CONNECTION_REMOVED: code<{ transfer: string }>(
    'user',
    ({ transfer }) =>
      `The connection whose master "${transfer}" was going to or from was removed, so it cannot go on. Connect to that master again and begin it anew.`,
  ),
  LOCAL_WRITE_DECLINED: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} on this computer was left as it is: it was not allowed when the app asked. Do it again and allow it, or choose another folder.`,
  ),
  HOST_KEY_NOT_SHOWN: code<{ connection: string; hostKey: string }>(
    'user',
    ({ connection, hostKey }) =>
      `The master "${connection}" has not shown the host key ${hostKey} to this app, so it was not trusted. Connect to it or test the connection, and compare what it shows.`,
  ),
  HOST_KEY_NAME_MISSING: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The changed host key of "${connection}" was not trusted: its name was not typed. Type the name of the connection to confirm it.`,
  ),
  MASTER_SWITCHED: code<{ request: string }>(
    'user',
    ({ request }) =>
      `Another master was chosen a moment before ${request} was sent, so it was not carried out there. Nothing was changed; do it again if you mean it for the master that is shown now.`,
  ),
  REQUEST_TIMEOUT: code<{ method: string; afterMs: number }>(
    'transient',
    ({ method, afterMs }) =>
      `The master gave no answer to ${method} within ${Math.round(afterMs / 1000)} s. It may still carry it out; look before you try again.`,
    true,
  ),
  API_VERSION_MISMATCH: code<{ address: string; theirs: number; ours: number }>(
    'user',
    ({ address, theirs, ours }) =>
      `The master at ${address} speaks version ${theirs} of the admin API, this app version ${ours}. Update the ${theirs < ours ? 'master' : 'app'}.`,
  ),
  EMBEDDED_MASTER_FAILED: code<{ why: string }>(
    'internal',
    ({ why }) => `The embedded master stopped working: ${why}. The app starts it again by itself.`,
    true,
  ),
  FILE_NOT_FOUND: code<{ path: string }>(
    'user',
    ({ path }) =>
      `There is no ${path} any more. Somebody may have moved or deleted it; the list was read again.`,
  ),
  FILE_EXISTS: code<{ path: string }>('user', ({ path }) => `${path} exists already. Choose another name.`),
  FILE_NAME_INVALID: code<{ name: string }>(
    'user',
    ({ name }) => `"${name}" cannot be a name: it must not be empty, "." or "..", nor hold a slash.`,
  ),
  FILE_FORBIDDEN: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) => `This is not possible for ${path}: ${why}.`,
  ),
  FILE_CHANGED: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} was changed by somebody else since you opened it. Nothing was overwritten; compare, then save again or reload.`,
  ),
  FILE_TOO_LARGE: code<{ path: string; bytes: number; limit: number }>(
    'user',
    ({ path, bytes, limit }) =>
      `${path} has ${bytes} bytes; the editor takes at most ${limit}. Download it, or open it in a program of your own.`,
  ),
  NODE_UNREACHABLE: code<{ node: string; why: string }>(
    'node',
    ({ node, why }) =>
      `Node ${node} cannot be reached: ${why}. It is tried again by itself; nothing on it was changed by this.`,
    true,
  ),
  NODE_TOOL_FAILED: code<{ node: string; what: string; why: string }>(
    'node',
    ({ node, what, why }) =>
      `On node ${node} it was not possible to ${what}: ${why}. If it goes on like this, drain the node and give it back; a new one takes its place.`,
    true,
  ),
  NODE_OVERDUE: code<{ node: string; afterMs: number; why: string }>(
    'node',
    ({ node, afterMs, why }) =>
      `Node ${node} did not become ready within ${Math.round(afterMs / 1000)} s: ${why}. It is given back, and another one is ordered where it is needed.`,
    true,
  ),
  ORDER_REFUSED: code<{ node: string; why: string; advice: string }>(
    'provider',
    ({ node, why, advice }) => `The provider refused the order of ${node}: ${why}. ${advice}`,
    true,
  ),
  RELEASE_REFUSED: code<{ node: string; why: string; advice: string }>(
    'provider',
    ({ node, why, advice }) => `The provider refused to delete ${node}: ${why}. ${advice}`,
    true,
  ),
  PROVIDER_UNREACHABLE: code<{ why: string }>(
    'provider',
    ({ why }) =>
      `The hosting provider cannot be asked: ${why}. Services and players are not touched; it is asked again by itself.`,
    true,
  ),
  FILE_NOT_TEXT: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} is no text (UTF-8), so it cannot be edited here. Open it in a program of your own.`,
  ),
  PLACE_FORBIDDEN: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} is outside of the folders of this computer that this app was given. Choose it with "Add folder" first.`,
  ),
  DISK_FULL: code<{ path: string }>(
    'node',
    ({ path }) => `The disk is full; ${path} was not written. Free some space and try again.`,
    true,
  ),
  TRANSFER_FAILED: code<{ path: string; why: string }>(
    'transient',
    ({ path, why }) =>
      `The transfer of ${path} failed: ${why}. Nothing half-written was left in its place; try again.`,
    true,
  ),
  SOURCE_REMAINS: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) =>
      `All of ${path} has arrived at its destination, but not all of it could be taken away from where it came from: ${why}. Nothing is lost; try again, or delete what is left there yourself.`,
  ),
  PLAN_EXPIRED: code<{ plan: string }>(
    'user',
    () => `This transfer was prepared too long ago and was not begun. Choose the files again.`,
  ),
  LOCAL_FILE_UNREADABLE: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) => `${path} on this computer cannot be used: ${why}.`,
  ),
  INTERNAL: code<{ what: string }>(
    'internal',
    ({ what }) =>
      `Something went wrong inside Overworld: ${what}. This is a mistake of ours; please report it.`,
  ),
};

export type ErrorCode = keyof typeof errorCodes;

/** The details that a code carries: data, never a sentence. */
export type ErrorDetails<C extends ErrorCode> = Parameters<(typeof errorCodes)[C]['sentence']>[0];
