/* The other walker of differential mode; see tools/against.h. */
#include <stdio.h>

#include "tools/against.h"

void against_open(struct executor *executor, const struct walker_options *options,
		  const char *which, const char **origin)
{
	const struct walker *walker = which_walker(options, which, origin);

	executor->against = differ_create(walker, EXECUTE_PAGES);
	if (!executor->against)
		fail(EXIT_USAGE, "no memory");
}

void against_close(struct executor *executor)
{
	differ_destroy(executor->against);
	executor->against = NULL;
}

void against_print(const struct differ *differ)
{
	printf("\n%llu steps compared; programs by how their comparison ended:\n", differ->steps);
	for (u32 end = 0; end < DIFFER_END_NR; end++)
		if (differ->ended[end])
			printf("%12llu  %s\n", differ->ended[end], differ_end_sentence(end));
}

json_t *against_json(const struct differ *differ)
{
	json_t *ends = json_object();

	for (u32 end = 0; end < DIFFER_END_NR; end++)
		json_object_set_new(ends, differ_end_sentence(end),
				    json_integer((json_int_t)differ->ended[end]));
	return ends;
}
