/* Walkers in shared objects; see fuzzers/load.h. */
#include "fuzzers/load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const struct walker_list *load_walkers(const char *path, char *error, size_t error_bytes)
{
	const struct walker_list *list;
	char here[4096];
	void *object;

	/* Without a slash dlopen() would look in the system's folders only. */
	snprintf(here, sizeof(here), "%s%s", strchr(path, '/') ? "" : "./", path);
	object = dlopen(here, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		snprintf(error, error_bytes, "%s", dlerror());
		return NULL;
	}
	list = dlsym(object, "walkers");
	if (!list)
		snprintf(error, error_bytes, "%s: exports no `walkers`; is it a walker?", path);
	else if (list->abi != WALKER_ABI)
		snprintf(error, error_bytes,
			 "%s: was built for interface %u, this is %u; build it again", path,
			 list->abi, WALKER_ABI);
	else
		return list;
	dlclose(object);
	return NULL;
}

const struct walker *load_find(const struct walker_list *list, const char *name)
{
	for (u32 i = 0; i < list->nr; i++)
		if (!name[0] || !strcmp(list->walker[i]->name, name))
			return list->walker[i];
	return NULL;
}
