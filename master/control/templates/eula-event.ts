import { EULA_URL, softwareName, type SoftwareChoice } from '#shared/model/software.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { NewEvent } from '#master/store/event-log.ts';

/** Returns the event that records who accepted Mojang's EULA, for which template and software. */
export function eulaEvent(template: TemplateId, choice: SoftwareChoice, actor: string): NewEvent {
  return {
    kind: 'template.eula-accepted',
    subject: { type: 'template', id: template },
    template,
    actor,
    message: `${actor} accepted the Minecraft EULA for template ${template}`,
    cause: `${softwareName(choice)} needs it; text: ${EULA_URL}`,
  };
}
