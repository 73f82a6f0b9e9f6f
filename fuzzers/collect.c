/* Collect mode; see fuzzers/collect.h. */
#include "fuzzers/collect.h"
#include "fuzzers/differ.h"
#include "fuzzers/file.h"
#include "fuzzers/shrink.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 4096

double collect_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Returns 0, or -1 with errno when there is no such folder then. */
static int folder_make(const char *folder)
{
	struct stat found;

	if (!mkdir(folder, 0777))
		return 0;
	if (errno != EEXIST || stat(folder, &found))
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(found.st_mode) ? 0 : -1;
}

struct collect *collect_create(struct executor *executor, const char *folder, const char *walker,
			       const char *origin, const struct known *known, char *error,
			       size_t error_bytes)
{
	struct collect *collect = calloc(1, sizeof(*collect));

	if (folder && folder_make(folder)) {
		snprintf(error, error_bytes, "%s: %s", folder, strerror(errno));
		free(collect);
		return NULL;
	}
	if (collect)
		collect->finding = calloc(COLLECT_MAX, sizeof(*collect->finding));
	if (!collect || !collect->finding) {
		snprintf(error, error_bytes, "no memory");
		free(collect);
		return NULL;
	}
	collect->executor = executor;
	collect->folder = folder;
	collect->walker = walker;
	collect->origin = origin;
	collect->known = known;
	collect->seconds_started = collect_now();
	return collect;
}

void collect_destroy(struct collect *collect)
{
	if (collect)
		free(collect->finding);
	free(collect);
}

static const char *known_why(const struct collect *collect, const char *signature, bool legal)
{
	return collect->known ? known_find(collect->known, signature, legal) : NULL;
}

static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct collect *collect = arg;
	struct finding *finding;
	char signature[VERDICT_SIGNATURE_MAX];

	(void)step;
	verdict_signature(verdict, signature);
	for (u32 i = 0; i < collect->nr; i++) {
		finding = &collect->finding[i];
		if (strcmp(finding->signature, signature))
			continue;
		finding->count++;
		if (verdict->legal && !finding->verdict.legal && collect->fresh_nr < VERDICTS_MAX) {
			finding->verdict.legal = true;
			collect->new_nr -= !finding->known;
			finding->known = known_why(collect, signature, true);
			collect->new_nr += !finding->known;
			collect->fresh[collect->fresh_nr++] = i;
		}
		return true;
	}
	if (collect->nr == COLLECT_MAX || collect->fresh_nr == VERDICTS_MAX)
		return true;
	finding = &collect->finding[collect->nr];
	memcpy(finding->signature, signature, sizeof(signature));
	finding->verdict = *verdict;
	finding->known = known_why(collect, signature, verdict->legal);
	finding->count = 1;
	collect->new_nr += !finding->known;
	collect->fresh[collect->fresh_nr++] = collect->nr++;
	return true;
}

static void finding_path(const struct collect *collect, const char *signature, char *path)
{
	size_t length = (size_t)snprintf(path, PATH_BYTES, "%s/", collect->folder);

	for (const char *c = signature; *c && length + 4 < PATH_BYTES; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			     (*c >= '0' && *c <= '9') || *c == '_';

		path[length++] = plain ? *c : '-';
	}
	memcpy(path + length, ".pt", 4);
}

static void finding_write(struct collect *collect, const struct finding *finding,
			  const struct program *program)
{
	char *text = malloc(PROGRAM_TEXT_MAX + 4096);
	char path[PATH_BYTES];
	int length, ret;

	if (!text)
		return;
	length = snprintf(text, 4096,
			  "# %s\n# Rule: %s\n# Got:  %s\n# Want: %s\n# Seen in %s; caller: %s\n",
			  finding->signature, rule_sentence(finding->verdict.rule),
			  finding->verdict.got, finding->verdict.want, collect->origin,
			  finding->verdict.legal ? "keeps the rules" : "breaks the rules");
	/* Only the path of the tree in @origin can be that long. */
	if (length >= 4096)
		memcpy(text + 4094, "\n", 2);
	text_print(program, text + strlen(text));
	finding_path(collect, finding->signature, path);
	ret = file_write(path, text, strlen(text));
	if (ret)
		collect->write_error = collect->write_error ? collect->write_error : ret;
	free(text);
}

static void finding_shrink(struct collect *collect, const struct walker *walker,
			   struct finding *finding, const struct program *program)
{
	struct program *small = malloc(sizeof(*small));
	struct failure failure;

	if (!small)
		return;
	*small = *program;
	snprintf(small->walker, sizeof(small->walker), "%s", walker->name);
	shrink(collect->executor, walker, small, finding->signature, SHRINK_RUNS_DEFAULT);
	if (shrink_fails(collect->executor, walker, small, finding->signature, &failure))
		finding->verdict = failure.verdict;
	finding->ops_nr = small->ops_nr;
	if (collect->folder)
		finding_write(collect, finding, small);
	free(small);
}

u32 collect_run(struct collect *collect, const struct walker *walker, const struct program *program)
{
	struct execute_watch watch = {.found = on_found, .arg = collect};
	u64 operations = collect->executor->operations;
	u32 before = collect->new_nr;
	enum differ_end end;
	u64 steps;

	collect->fresh_nr = 0;
	end = differ_execute(collect->executor, walker, program, &watch);
	if (collect->executor->against)
		collect->executor->against->ended[end]++;
	collect->programs++;
	collect->operations += collect->executor->operations - operations;
	steps = collect->executor->against ? collect->executor->against->steps : 0;
	for (u32 i = 0; i < collect->fresh_nr; i++)
		finding_shrink(collect, walker, &collect->finding[collect->fresh[i]], program);
	if (collect->executor->against)
		collect->executor->against->steps = steps;
	return collect->new_nr - before;
}

static json_t *finding_json(const struct collect *collect, const struct finding *finding)
{
	char path[PATH_BYTES] = "";

	if (collect->folder)
		finding_path(collect, finding->signature, path);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:I, s:i, s:s, s:s?}", "signature",
			 finding->signature, "rule", rule_name(finding->verdict.rule), "op",
			 finding->verdict.op, "reason", finding->verdict.reason, "format",
			 format_word(finding->verdict.format), "known", finding->known != NULL,
			 "legal", finding->verdict.legal, "count", (json_int_t)finding->count,
			 "ops", (int)finding->ops_nr, "file", path, "why", finding->known);
}

char *collect_text(const struct collect *collect)
{
	json_t *findings = json_array();
	json_t *root;
	char *text;

	for (u32 i = 0; i < collect->nr; i++)
		json_array_append_new(findings, finding_json(collect, &collect->finding[i]));
	root = json_pack("{s:s, s:s, s:f, s:I, s:I, s:o}", "walker", collect->walker, "tree",
			 collect->origin, "seconds", collect_now() - collect->seconds_started,
			 "programs", (json_int_t)collect->programs, "operations",
			 (json_int_t)collect->operations, "findings", findings);
	text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	json_decref(root);
	return text;
}

int collect_write(const struct collect *collect)
{
	char path[PATH_BYTES];
	char *text;
	int ret;

	if (!collect->folder)
		return 0;
	text = collect_text(collect);
	if (!text)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/stats-%d.json", collect->folder, (int)getpid());
	ret = file_write(path, text, strlen(text));
	free(text);
	return ret;
}
