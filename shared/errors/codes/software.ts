import { code } from '../code.ts';

/** Errors of server software: what the master includes, downloads and puts into templates. */
export const softwareCodes = {
  SOFTWARE_TYPE_DIFFERS: code<{ template: string; software: string; isProxy: boolean }>(
    'user',
    ({ template, software, isProxy }) =>
      `Template ${template} is for ${isProxy ? 'game servers' : 'proxies'}, but ${software} is a ${isProxy ? 'proxy' : 'game server'}. Choose other software, or change the template's type.`,
  ),
  SOFTWARE_NOT_DOWNLOADED: code<{ software: string }>(
    'user',
    ({ software }) => `${software} is not on the master. Download it first.`,
    true,
  ),
  SOFTWARE_SOURCE_UNREACHABLE: code<{ publisher: string; host: string; why: string }>(
    'transient',
    ({ publisher, host, why }) =>
      `${publisher} cannot be reached at ${host}: ${why}. Check the master's internet access and try again, or upload a server.jar.`,
    true,
  ),
  SOFTWARE_RATE_LIMITED: code<{ publisher: string; seconds: number | null }>(
    'transient',
    ({ publisher, seconds }) =>
      `${publisher} accepts no more requests from this master for now. Try again ${seconds === null ? 'in some minutes' : `in ${seconds} s`}.`,
    true,
  ),
  SOFTWARE_NOT_FOUND: code<{ publisher: string; what: string }>(
    'user',
    ({ publisher, what }) => `${publisher} does not offer ${what}. Choose another version or build.`,
  ),
  SOFTWARE_ANSWER_UNREADABLE: code<{ publisher: string; what: string; why: string }>(
    'transient',
    ({ publisher, what, why }) =>
      `${publisher} sent an answer for ${what} that cannot be used: ${why}. Try again later, or upload a server.jar.`,
    true,
  ),
  SOFTWARE_ADDRESS_REFUSED: code<{ publisher: string; address: string }>(
    'internal',
    ({ publisher, address }) =>
      `${publisher} refers to ${address}, which is not one of its known addresses, so nothing was downloaded from there. Upload a server.jar, and report this.`,
  ),
  SOFTWARE_HASH_DIFFERS: code<{ what: string; algorithm: string; stated: string; actual: string }>(
    'transient',
    ({ what, algorithm, stated, actual }) =>
      `The download of ${what} is damaged or was changed, and was deleted: its ${algorithm} is ${actual} and should be ${stated}. Try again. If it happens again, do not use this build.`,
    true,
  ),
  BUNDLED_JAR_MISSING: code<{ path: string }>(
    'config',
    ({ path }) =>
      `The practice software is missing at ${path}. Copy the whole folder of the master again (in a clone of the project: npm run build).`,
  ),
  EULA_REQUIRED: code<{ software: string }>(
    'user',
    ({ software }) =>
      `${software} contains Minecraft's server, so Mojang's EULA applies to its use. Read it at https://aka.ms/MinecraftEULA, and accept it to continue.`,
  ),
};
